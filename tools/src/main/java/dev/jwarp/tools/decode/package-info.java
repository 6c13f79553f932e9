/** {@code jwarp decode}: what a capture says of iWARP. */
@NullMarked
package dev.jwarp.tools.decode;

import org.jspecify.annotations.NullMarked;
