package dev.jwarp.sockets.programs;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Writes to the connection that it was started with, as a service of inetd or of systemd does. */
public final class Inheritor {
    private Inheritor() {}

    /** Writes to it. */
    public static void main(String[] arguments) throws Exception {
        try (SocketChannel inherited = (SocketChannel) System.inheritedChannel()) {
            inherited.write(ByteBuffer.wrap("inherited".getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
