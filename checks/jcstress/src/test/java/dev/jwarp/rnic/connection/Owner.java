package dev.jwarp.rnic.connection;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.UpperLayer;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A connection without a peer; the thread that calls {@link #work} is the owner. */
final class Owner implements LlpConnection {
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Runs the tasks left for the owner so far. */
    void work() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public InetSocketAddress localAddress() {
        return NOWHERE;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return NOWHERE;
    }

    @Override
    public int mulpdu() {
        return 1024;
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public void accept(StartParameters reply, UpperLayer upper) {}

    @Override
    public void reject(byte[] privateData) {}

    @Override
    public void doorbell() {}

    @Override
    public void close() {}

    @Override
    public void abort() {}
}
