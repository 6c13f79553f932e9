package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A program for java.nio, over TCP of the JDK or over jwarp's sockets: writes messages, and waits for an answer when a
 * number of bytes is unanswered.
 */
final class SocketStream implements Contender {
    private static final int PIECES = 4;

    private final FarProcess far;
    private final SocketChannel channel;
    private final ByteBuffer message;
    private final ByteBuffer answers = ByteBuffer.allocateDirect(PIECES);
    private final int messages;
    private final @Nullable CRC32C crc;

    /**
     * @param arguments {@code provider=jdk|jwarp crc=on protocol=credits credits=N copy=N zerocopy=N messages=yes
     * nodelay=no stream=yes size=N buffer=N}; the size divides {@link SocketFar#PIECE}
     */
    SocketStream(Arguments arguments) throws IOException {
        int size = arguments.number("size", 64 * 1024);
        messages = SocketFar.PIECE / size;
        message = ByteBuffer.allocateDirect(size);
        crc = SocketFar.crc(arguments);
        far = new FarProcess(SocketFar.class, arguments);
        channel = SocketFar.provider(arguments).openSocketChannel();
        SocketFar.speak(channel, arguments);
        int buffer = arguments.number("buffer", 0);
        if (buffer > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, buffer);
        }
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(far.next())));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, !arguments.is("nodelay", "no"));
    }

    @Override
    public Sample round(long nanos) throws IOException {
        long start = System.nanoTime();
        long pieces = 0;
        int open = 0;
        do {
            if (open == PIECES) {
                open -= answered();
            }
            for (int i = 0; i < messages; i++) {
                message.clear();
                SocketFar.check(crc, message);
                while (message.hasRemaining()) {
                    channel.write(message);
                }
            }
            open++;
            pieces++;
        } while (System.nanoTime() - start < nanos);
        while (open > 0) {
            open -= answered();
        }
        return Sample.ofStream(pieces * messages, pieces * SocketFar.PIECE, System.nanoTime() - start);
    }

    private int answered() throws IOException {
        int count = channel.read(answers.clear());
        if (count < 0) {
            throw new IOException("the far end has closed the connection");
        }
        return count;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        far.close();
    }
}
