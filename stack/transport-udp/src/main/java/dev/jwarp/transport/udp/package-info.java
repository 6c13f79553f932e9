/** Datagram-iWARP below DDP (docs/datagram-iwarp.md): what can be set, and what is counted. */
@NullMarked
package dev.jwarp.transport.udp;

import org.jspecify.annotations.NullMarked;
