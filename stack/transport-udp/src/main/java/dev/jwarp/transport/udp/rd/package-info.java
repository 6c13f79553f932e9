/** Reliable datagrams (datagram-iWARP §11): one peer's datagrams become a sequence, exactly once and in order. Sans-IO. */
@NullMarked
package dev.jwarp.transport.udp.rd;

import org.jspecify.annotations.NullMarked;
