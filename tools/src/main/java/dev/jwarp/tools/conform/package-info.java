/** {@code jwarp conform} and the target that it tests devices with. */
@NullMarked
package dev.jwarp.tools.conform;

import org.jspecify.annotations.NullMarked;
