/** The formats of datagrams (datagram-iWARP §4), their CRC and checks 1 to 5 (§5). Reads and writes buffers only. */
@NullMarked
package dev.jwarp.transport.udp.wire;

import org.jspecify.annotations.NullMarked;
