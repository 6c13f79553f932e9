/** Bounded tables of the sources of datagrams: proved addresses, rates of answers, drops (datagram-iWARP §9, §13). */
@NullMarked
package dev.jwarp.transport.udp.source;

import org.jspecify.annotations.NullMarked;
