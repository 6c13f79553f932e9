package dev.jwarp.sockets.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Writes as many bytes as possible to a peer that does not read yet, prints the number, and exits without closing. */
public final class Leaver {
    private Leaver() {}

    /** Connects to the given port. */
    public static void main(String[] arguments) throws Exception {
        SocketChannel channel = SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])));
        channel.configureBlocking(false);
        long written = 0;
        for (int idle = 0; idle < 1_000; idle++) {
            int went = channel.write(ByteBuffer.allocate(1000));
            written += went;
            idle = went > 0 ? 0 : idle;
        }
        System.out.println(written + " bytes were written");
        System.exit(0);
    }
}
