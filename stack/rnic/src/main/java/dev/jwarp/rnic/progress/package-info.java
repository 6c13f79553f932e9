/**
 * The threads and the clock of the software RNIC. Among its other packages, only {@code stat} and {@code portmap.nio}
 * have threads or a clock.
 */
@NullMarked
package dev.jwarp.rnic.progress;

import org.jspecify.annotations.NullMarked;
