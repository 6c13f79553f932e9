/** Unreliable datagrams: a queue pair of type UD at a port, and the pace of each peer that it sends to (datagram-iWARP §6). */
@NullMarked
package dev.jwarp.transport.udp.ud;

import org.jspecify.annotations.NullMarked;
