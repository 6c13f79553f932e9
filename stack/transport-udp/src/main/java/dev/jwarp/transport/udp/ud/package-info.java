/** Unreliable datagrams: queue pairs of type UD at a port, and the rate to each peer (datagram-iWARP §6). */
@NullMarked
package dev.jwarp.transport.udp.ud;

import org.jspecify.annotations.NullMarked;
