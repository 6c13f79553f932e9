/** Figures with charts. */
@NullMarked
package dev.jwarp.tools.figure;

import org.jspecify.annotations.NullMarked;
