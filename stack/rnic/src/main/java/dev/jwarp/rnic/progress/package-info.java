/** The threads and the clock of the software RNIC; the rest of it has neither. */
@NullMarked
package dev.jwarp.rnic.progress;

import org.jspecify.annotations.NullMarked;
