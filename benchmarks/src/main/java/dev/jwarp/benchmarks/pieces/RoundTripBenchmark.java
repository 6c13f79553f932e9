package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
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
 * A round trip whose ends take turns in one thread: two writes and four reads of a socket, of which two find nothing, and nothing
 * waits. What jwarp takes more than java.nio is all its own, of both ends, with the caches as the kernel leaves them.
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
    private int sent;

    /** The plain connection, and two receives at each end of the other. */
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
        }
        bytes.limit(length);
    }

    private void postReceive(TwoEnds.End end, QueuePair pair) {
        pair.postReceive(receive.clear().add(end.memory, 0, length));
    }

    /** The same bytes there and back, without any protocol. */
    @Benchmark
    public void nio() throws IOException {
        move(sockets[0], sockets[1]);
        move(sockets[1], sockets[0]);
    }

    private void move(SocketChannel from, SocketChannel to) throws IOException {
        from.write(bytes.rewind());
        bytes.rewind();
        from.read(bytes);
        while (bytes.hasRemaining()) {
            to.read(bytes);
        }
    }

    /** A Send each way. */
    @Benchmark
    public void jwarp() {
        move(ends.near, ends.nearPair, ends.far, ends.farPair);
        move(ends.far, ends.farPair, ends.near, ends.nearPair);
    }

    private void move(TwoEnds.End from, QueuePair fromPair, TwoEnds.End to, QueuePair toPair) {
        sent++;
        send.clear();
        fromPair.postSend(send.send().signaled((sent & (SIGNAL_EVERY - 1)) < 2).add(from.memory, LONGEST, length));
        poll(from, fromPair); // writes, and sees that nothing has come
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
        sockets[0].close();
        sockets[1].close();
    }
}
