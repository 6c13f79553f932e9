/** What DDP asks of a layer below that carries datagrams: no connections, nothing ordered, anything lost. */
@NullMarked
package dev.jwarp.ddp.llp.datagram;

import org.jspecify.annotations.NullMarked;
