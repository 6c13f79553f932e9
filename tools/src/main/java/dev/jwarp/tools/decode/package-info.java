/** {@code jwarp decode}: shows the iWARP in a capture. */
@NullMarked
package dev.jwarp.tools.decode;

import org.jspecify.annotations.NullMarked;
