package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A round trip whose ends take turns in one thread: two writes and four reads of a socket, two of which find no bytes,
 * without any wait. The difference to java.nio is the cost of jwarp at both ends, with the caches as the kernel leaves
 * them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class RoundTripBenchmark {
    private static final int SIGNAL_EVERY = 16;
    private static final int BATCH = 64;
    private static final int LONGEST = 1 << 16;

    /** Bytes of a message. */
    @Param("64")
    public int length;

    private final WorkCompletion[] batch = WorkCompletion.array(BATCH);
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST);
    private final TwoEnds ends = new TwoEnds(2 * LONGEST);
    private final SocketChannel[] sockets = new SocketChannel[2];
    private final TwoEnds.End nearDatagrams = new TwoEnds.End("jwarp0", 2 * LONGEST);
    private final TwoEnds.End farDatagrams = new TwoEnds.End("jwarp0", 2 * LONGEST);
    private final DatagramQueuePair nearUd = nearDatagrams.bind();
    private final DatagramQueuePair farUd = farDatagrams.bind();
    private final AddressHandle toFar = nearUd.createAddressHandle(farUd.localAddress(), farUd.number(), farUd.key());
    private final AddressHandle toNear =
            farUd.createAddressHandle(nearUd.localAddress(), nearUd.number(), nearUd.key());
    private final DatagramChannel[] ports = new DatagramChannel[2];
    private final SocketAddress[] addresses = new SocketAddress[2];
    private int sent;

    /** The plain connection, and two receives at each end of the jwarp connection. */
    @Setup
    public void prepare() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            sockets[0] = SocketChannel.open(listener.getLocalAddress());
            sockets[1] = listener.accept();
        }
        for (SocketChannel socket : sockets) {
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.configureBlocking(false);
        }
        for (int i = 0; i < 2; i++) {
            postReceive(ends.near, ends.nearPair);
            postReceive(ends.far, ends.farPair);
            postReceive(nearDatagrams, nearUd);
            postReceive(farDatagrams, farUd);
        }
        for (int i = 0; i < 2; i++) {
            ports[i] = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ports[i].configureBlocking(false);
            addresses[i] = ports[i].getLocalAddress();
        }
        bytes.limit(length);
    }

    private void postReceive(TwoEnds.End end, QueuePair pair) {
        pair.postReceive(receive.clear().add(end.memory, 0, length));
    }

    /** The same bytes in both directions, without any protocol. */
    @Benchmark
    public void nio() throws IOException {
        move(sockets[0], sockets[1]);
        move(sockets[1], sockets[0]);
    }

    /** The same in datagrams, between unconnected ports. */
    @Benchmark
    public void nioDatagrams() throws IOException {
        move(ports[0], ports[1], addresses[1]);
        move(ports[1], ports[0], addresses[0]);
    }

    private void move(DatagramChannel from, DatagramChannel to, SocketAddress address) throws IOException {
        from.send(bytes.rewind(), address);
        bytes.rewind();
        from.receive(bytes);
        while (to.receive(bytes) == null) {
            Thread.onSpinWait();
        }
    }

    private void move(SocketChannel from, SocketChannel to) throws IOException {
        from.write(bytes.rewind());
        bytes.rewind();
        from.read(bytes);
        while (bytes.hasRemaining()) {
            to.read(bytes);
        }
    }

    /** A Send in each direction. */
    @Benchmark
    public void jwarp() {
        send.clear();
        move(ends.near, ends.nearPair, ends.far, ends.farPair);
        send.clear();
        move(ends.far, ends.farPair, ends.near, ends.nearPair);
    }

    /** The same between datagram queue pairs. */
    @Benchmark
    public void ud() {
        send.clear().destination(toFar);
        move(nearDatagrams, nearUd, farDatagrams, farUd);
        send.clear().destination(toNear);
        move(farDatagrams, farUd, nearDatagrams, nearUd);
    }

    private void move(TwoEnds.End from, QueuePair fromPair, TwoEnds.End to, QueuePair toPair) {
        sent++;
        fromPair.postSend(send.send().signaled((sent & (SIGNAL_EVERY - 1)) < 2).add(from.memory, LONGEST, length));
        poll(from, fromPair); // writes, and finds no received bytes
        while (!poll(to, toPair)) {
            Thread.onSpinWait();
        }
    }

    /** {@return whether a message came} */
    private boolean poll(TwoEnds.End end, QueuePair pair) {
        boolean came = false;
        int count = end.completions.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch[i].succeeded()) {
                throw new IllegalStateException(batch[i].describe());
            }
            if (batch[i].opcode() == WorkCompletionOpcode.RECV) {
                postReceive(end, pair);
                came = true;
            }
        }
        return came;
    }

    /** All of them. */
    @TearDown
    public void close() throws IOException {
        ends.close();
        nearDatagrams.context.close();
        farDatagrams.context.close();
        ports[0].close();
        ports[1].close();
        sockets[0].close();
        sockets[1].close();
    }
}
