/** Datagram-iWARP below DDP, without sockets: what stands in a datagram, and what may be answered to whom. */
@NullMarked
package dev.jwarp.transport.udp;

import org.jspecify.annotations.NullMarked;
