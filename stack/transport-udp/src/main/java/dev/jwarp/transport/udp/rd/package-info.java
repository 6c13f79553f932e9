/** Reliable datagrams (datagram-iWARP §11): delivery exactly once and in the order of each peer. Sans-IO. */
@NullMarked
package dev.jwarp.transport.udp.rd;

import org.jspecify.annotations.NullMarked;
