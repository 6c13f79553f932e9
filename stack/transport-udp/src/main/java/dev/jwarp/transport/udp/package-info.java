/** Datagram-iWARP below DDP (docs/datagram-iwarp.md): settings and counters. */
@NullMarked
package dev.jwarp.transport.udp;

import org.jspecify.annotations.NullMarked;
