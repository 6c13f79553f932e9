package dev.jwarp.sockets.programs;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Writes to the connection with which it was started, like a service of inetd or systemd. */
public final class Inheritor {
    private Inheritor() {}

    /** Writes to the inherited connection. */
    public static void main(String[] arguments) throws Exception {
        try (SocketChannel inherited = (SocketChannel) System.inheritedChannel()) {
            inherited.write(ByteBuffer.wrap("inherited".getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
