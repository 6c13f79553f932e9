package dev.jwarp.benchmarks.datagram;

import dev.jwarp.verbs.WorkCompletion;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A contender: two ends, the far one on a thread of its own that sleeps between rounds. */
public abstract class Pair implements AutoCloseable {
    final Setup setup;
    final End near;
    final End far;
    private final Thread server;
    private volatile boolean open;
    private volatile boolean stop;
    /** Octets of the messages of this round; set while the server sleeps. */
    private volatile int length;

    Pair(Setup setup) throws InterruptedException {
        this.setup = setup;
        End[] ends = End.two(setup);
        near = ends[0];
        far = ends[1];
        server = new Thread(this::serve, "far end");
        server.setDaemon(true);
    }

    /** {@return a contender as that says, connected} */
    public static Pair of(Setup setup) throws InterruptedException {
        Pair pair = setup.latency() ? new PingPong(setup) : new Stream(setup);
        pair.server.start();
        return pair;
    }

    /** Does messages of {@code octets} for about {@code nanos}. */
    public final Figures round(int octets, long nanos) {
        length = octets;
        prepare();
        open = true;
        LockSupport.unpark(server);
        Figures figures = measure(nanos);
        open = false;
        return new Figures(
                figures.operations(),
                figures.operations() * octets,
                figures.nanos(),
                figures.p50(),
                figures.p99(),
                figures.p999(),
                0,
                0,
                figures.lost(),
                0,
                0);
    }

    /** {@return datagrams so far for which the kernel had no room} */
    final long dropped() {
        return near.dropped() + far.dropped();
    }

    final int length() {
        return length;
    }

    /** {@return the round trips of the last round; null for streams} */
    public @Nullable Histogram times() {
        return null;
    }

    /** Called before a round, while nothing moves. */
    void prepare() {}

    /** The near end's part of a round; when it is back, nothing is on its way. */
    abstract Figures measure(long nanos);

    /** The far end's part: what is to do now, once. */
    abstract void answer();

    private void serve() {
        try {
            while (!stop) {
                if (open) {
                    answer();
                } else {
                    LockSupport.park();
                }
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // the near end would wait for ever
        }
    }

    static IllegalStateException unexpected(WorkCompletion completion) {
        return new IllegalStateException(completion.describe());
    }

    @Override
    public void close() {
        stop = true;
        LockSupport.unpark(server);
        near.close();
    }
}
