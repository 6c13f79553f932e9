package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/** Plain java.nio over TCP: one end writes messages, the other counts bytes; with or without a CRC32C at both ends. */
final class NioTcpStream implements Contender {
    private static final int RING = 256 * 1024;
    private static final long LOOK_NANOS = 50_000;

    private final int size;
    private final boolean crc;
    private final boolean spin;
    private final SocketChannel near;
    private final ByteBuffer message;
    private final CRC32C checksum = new CRC32C();
    private final Turn turn = new Turn();
    private volatile long came;
    private long sent;

    NioTcpStream(Arguments arguments) throws IOException {
        size = arguments.number("size", 64 * 1024);
        crc = arguments.is("crc", "on");
        spin = arguments.is("wait", "spin");
        message = ByteBuffer.allocateDirect(size);
        SocketChannel far;
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            near = SocketChannel.open(listener.getLocalAddress());
            far = listener.accept();
        }
        near.setOption(StandardSocketOptions.TCP_NODELAY, true);
        near.configureBlocking(!spin);
        far.configureBlocking(!spin);
        Thread server = new Thread(() -> serve(far), "server");
        server.setDaemon(true);
        server.start();
    }

    private void serve(SocketChannel end) {
        ByteBuffer ring = ByteBuffer.allocateDirect(RING);
        CRC32C sum = new CRC32C();
        try {
            while (true) {
                if (spin) {
                    turn.await();
                }
                int count = end.read(ring);
                if (count > 0) {
                    if (crc) {
                        sum.reset();
                        sum.update(ring.flip());
                    }
                    long total = came + count; // one writer
                    came = total;
                }
                if (count < 0) {
                    return;
                }
                ring.clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Sample round(long nanos) throws IOException {
        turn.begin();
        long start = System.nanoTime();
        long messages = 0;
        do {
            if (crc) {
                message.clear();
                checksum.reset();
                checksum.update(message);
            }
            message.clear();
            while (message.hasRemaining()) {
                near.write(message);
            }
            messages++;
        } while (System.nanoTime() - start < nanos);
        sent += messages * size;
        while (came < sent) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        turn.end();
        return Sample.ofStream(messages, messages * size, System.nanoTime() - start);
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
