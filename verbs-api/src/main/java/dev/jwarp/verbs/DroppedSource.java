package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * A source from which datagrams came that were dropped.
 *
 * @param source where they came from, or claim to come from: source addresses can be forged
 * @param datagrams how many were dropped since the source was first remembered; late copies, which do no harm, count
 *     too
 * @param lastCause the name of the counter that counted the last of them
 */
public record DroppedSource(InetSocketAddress source, long datagrams, String lastCause) {}
