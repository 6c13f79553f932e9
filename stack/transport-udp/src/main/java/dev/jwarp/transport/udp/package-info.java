/** Datagram-iWARP below DDP, without sockets: what stands in a datagram, and which answers may go where. */
@NullMarked
package dev.jwarp.transport.udp;

import org.jspecify.annotations.NullMarked;
