package dev.jwarp.llp.datagram;

import java.net.InetSocketAddress;

/**
 * The dropped datagrams of one source at a port.
 *
 * @param source source address; may be forged
 * @param datagrams number of dropped datagrams since the source is recorded
 * @param lastCause name of the counter that counted the last dropped datagram
 */
public record SourceDrops(InetSocketAddress source, long datagrams, String lastCause) {}
