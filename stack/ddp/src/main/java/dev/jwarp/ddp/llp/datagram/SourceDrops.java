package dev.jwarp.ddp.llp.datagram;

import java.net.InetSocketAddress;

/**
 * What a port dropped of what one source sent.
 *
 * @param source where it came from, or claims to come from
 * @param datagrams how many were dropped while the source was remembered
 * @param lastCause the counter that the last of them moved
 */
public record SourceDrops(InetSocketAddress source, long datagrams, String lastCause) {}
