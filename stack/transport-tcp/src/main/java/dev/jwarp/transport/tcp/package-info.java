/** MPA over a byte stream: a sans-IO engine, bytes in and bytes out. */
@NullMarked
package dev.jwarp.transport.tcp;

import org.jspecify.annotations.NullMarked;
