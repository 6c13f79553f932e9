/** Messages cut into datagrams: which octets a segment carries, and which parts of a message have been placed. */
@NullMarked
package dev.jwarp.ddp.datagram;

import org.jspecify.annotations.NullMarked;
