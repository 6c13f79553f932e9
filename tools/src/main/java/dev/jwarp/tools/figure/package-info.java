/** Figures of charts, as the tools draw them. */
@NullMarked
package dev.jwarp.tools.figure;

import org.jspecify.annotations.NullMarked;
