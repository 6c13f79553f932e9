package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Plain java.nio over UDP: a stream of datagrams of 1472 bytes, one a call, because java.nio has no GSO. At most 1 MiB
 * is in flight: the sender reads the receiver's counter, which needs no system call.
 */
final class NioDatagrams implements Contender {
    private static final int DATAGRAM = 1472;
    private static final int MESSAGE = 64 * 1024;
    private static final int WINDOW = 1 << 20;
    private static final int BUFFER = 4 << 20;
    private static final long LOOK_NANOS = 20_000;
    private static final long SILENCE = TimeUnit.MILLISECONDS.toNanos(20);

    private final DatagramChannel near;
    private final DatagramChannel far;
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM);
    private volatile long came;
    private long sent;
    private long lost;

    NioDatagrams() throws IOException {
        near = bound();
        far = bound();
        near.connect(far.getLocalAddress());
        far.connect(near.getLocalAddress());
        Thread server = new Thread(this::serve, "server");
        server.setDaemon(true);
        server.start();
    }

    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open(StandardProtocolFamily.INET)
                .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER)
                .setOption(StandardSocketOptions.SO_SNDBUF, BUFFER)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private void serve() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(DATAGRAM);
        try {
            while (true) {
                buffer.clear();
                long sum = came + far.read(buffer);
                came = sum; // one writer
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Sample round(long nanos) throws IOException {
        long start = System.nanoTime();
        long before = came;
        long sentBefore = sent;
        do {
            if (sent - lost - came >= WINDOW) {
                await(WINDOW / 2);
            }
            datagram.clear();
            near.write(datagram);
            sent += DATAGRAM;
        } while (System.nanoTime() - start < nanos);
        await(0);
        long octets = came - before;
        long elapsed = System.nanoTime() - start;
        return new Sample(octets / MESSAGE, octets, elapsed, (sent - sentBefore - octets) / DATAGRAM, null);
    }

    /** Waits until at most so much is in flight; datagrams that are late count as lost. */
    private void await(long underWay) {
        long seen = came;
        long since = System.nanoTime();
        while (sent - lost - came > underWay) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (came != seen) {
                seen = came;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > SILENCE) {
                lost = sent - came;
            }
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
