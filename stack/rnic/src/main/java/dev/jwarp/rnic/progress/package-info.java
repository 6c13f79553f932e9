/** The threads and the clock of the software RNIC. Of its other packages only {@code stat} and {@code portmap.nio} have any. */
@NullMarked
package dev.jwarp.rnic.progress;

import org.jspecify.annotations.NullMarked;
