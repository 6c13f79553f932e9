/** Messages divided into datagrams: the octets of each segment, and the placed parts of each message. */
@NullMarked
package dev.jwarp.ddp.datagram;

import org.jspecify.annotations.NullMarked;
