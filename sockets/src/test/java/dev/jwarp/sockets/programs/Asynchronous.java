package dev.jwarp.sockets.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;

/** A pair of asynchronous channels. It does not use jwarp's API. */
public final class Asynchronous {
    private Asynchronous() {}

    /** Prints the text that one channel sends to the other. */
    public static void main(String[] arguments) throws Exception {
        try (AsynchronousServerSocketChannel listener = AsynchronousServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AsynchronousSocketChannel near = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepted = listener.accept();
            near.connect(listener.getLocalAddress()).get();
            near.write(ByteBuffer.wrap("asynchronous".getBytes(StandardCharsets.US_ASCII)))
                    .get();
            near.shutdownOutput();
            ByteBuffer into = ByteBuffer.allocate(100);
            while (accepted.get().read(into).get() >= 0) {
                // until all is there
            }
            System.out.println("there: " + StandardCharsets.US_ASCII.decode(into.flip()));
        }
    }
}
