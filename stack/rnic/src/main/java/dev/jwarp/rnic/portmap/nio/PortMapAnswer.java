package dev.jwarp.rnic.portmap.nio;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where to connect to, as far as the port mapper of the peer's host had a say in it.
 *
 * @param mapped whether there is a mapping; if not, the two addresses are those of the program
 * @param remote the address to connect to
 * @param local the one to connect from, which was told to the peer's port mapper; null for any
 */
public record PortMapAnswer(
        boolean mapped, InetSocketAddress remote, @Nullable InetSocketAddress local) {}
