/** The jwarp command. */
@NullMarked
package dev.jwarp.tools;

import org.jspecify.annotations.NullMarked;
