package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * A source of dropped datagrams.
 *
 * @param source source address of the datagrams; may be forged
 * @param datagrams number of dropped datagrams since the source is recorded, including harmless late duplicates
 * @param lastCause name of the counter that counted the last dropped datagram
 */
public record DroppedSource(InetSocketAddress source, long datagrams, String lastCause) {}
