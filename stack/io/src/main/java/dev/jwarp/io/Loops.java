package dev.jwarp.io;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loops of a transport and their threads. Any thread. */
public abstract class Loops {
    /** Opens the loops of a transport. */
    public interface Opener {
        /** {@return loops that {@code maker} creates} */
        Loops open(Maker maker) throws IOException;
    }

    /** Creates a loop of the transport. */
    public interface Maker {
        /** {@return a loop with that watcher} */
        Loop make(SocketWatcher.Maker watcher) throws IOException;
    }

    private final List<Loop> loops = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** Creates an empty object. */
    protected Loops() {}

    /** Adds a loop, before any loop is used. */
    protected final void add(Loop loop) {
        loops.add(loop);
    }

    /**
     * {@return one loop with inline progress}
     *
     * @param given loops of the program; null for an own selector
     * @param transport name of the transport
     */
    public static Loops inline(Maker maker, @Nullable GivenLoops given, String transport) throws IOException {
        return new Inline(maker.make(loop -> new SelectorWatcher(loop, given, transport)));
    }

    /**
     * {@return loops with one thread each}
     *
     * @param name name of the threads
     */
    public static Loops threads(Maker maker, int count, String name) throws IOException {
        return new Threads(maker, count, name);
    }

    /** {@return the exception if the system has no more selectors} */
    public static LlpException noSelector(IOException cause) {
        return new LlpException(
                LlpFailure.LIMIT_REACHED,
                "A loop needs a selector, and the system gives none (" + cause.getMessage()
                        + "): use fewer loops, or let the process open more files (ulimit -n)");
    }

    /** {@return whether progress is inline} */
    public abstract boolean inline();

    /** {@return all loops} */
    public final List<Loop> all() {
        return loops;
    }

    /** {@return the first loop, which has the listeners} */
    public final Loop first() {
        return loops.get(0);
    }

    /** {@return the loop of the calling thread; null if there is none} */
    public final @Nullable Loop here() {
        for (int i = 0; i < loops.size(); i++) { // each wait comes here, so there is no iterator
            if (loops.get(i).isHere()) {
                return loops.get(i);
            }
        }
        return null;
    }

    /** {@return the next loop, round-robin} */
    public final Loop next() {
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** {@return the loop for a connection to that peer} */
    public Loop toward(InetSocketAddress remote) {
        return next();
    }

    /** {@return the loop that the program chooses for a connection with that peer; null for the default choice} */
    public @Nullable Loop chosen(InetSocketAddress remote) {
        return null;
    }

    /** {@return whether {@link #chosen} may return a loop} */
    public boolean choosing() {
        return false;
    }

    /**
     * Closes all loops, each on its own thread if it has one. Waits for that unless the caller is one of these threads.
     *
     * @param last runs when all loops are closed
     */
    public final void close(Runnable last) {
        AtomicInteger left = new AtomicInteger(loops.size());
        CountDownLatch closed = new CountDownLatch(1);
        for (Loop loop : loops) {
            loop.end(() -> {
                try {
                    loop.close();
                } finally {
                    if (left.decrementAndGet() == 0) {
                        end(last, closed);
                    }
                }
            });
        }
        if (loops.isEmpty()) {
            end(last, closed);
        }
        boolean waits = here() == null;
        if (waits) {
            Uninterruptibly.await(closed);
        }
        release(waits);
    }

    private static void end(Runnable last, CountDownLatch closed) {
        try {
            last.run();
        } finally {
            closed.countDown();
        }
    }

    /** Ends own threads, if there are any. */
    protected abstract void release(boolean waits);

    private static final class Inline extends Loops {
        Inline(Loop loop) {
            add(loop);
        }

        @Override
        public boolean inline() {
            return true;
        }

        @Override
        protected void release(boolean waits) {}
    }

    private static final class Threads extends Loops {
        private static final Logger LOG = LoggerFactory.getLogger(Threads.class);

        private final List<Thread> threads = new ArrayList<>();

        Threads(Maker maker, int count, String name) throws IOException {
            try {
                for (int i = 0; i < count; i++) {
                    Loop loop = maker.make(made -> new SelectorWatcher(made, null, name));
                    add(loop);
                    Thread thread = new Thread(() -> run(loop), count == 1 ? name : name + "-" + (i + 1));
                    thread.setDaemon(true);
                    thread.start();
                    threads.add(thread);
                    ((SelectorWatcher) loop.watcher()).onThread();
                }
            } catch (Throwable e) { // no descriptor, no memory, or no thread available
                close(() -> {});
                throw e;
            }
        }

        private static void run(Loop loop) {
            while (!loop.isClosed()) {
                try {
                    loop.await(Long.MAX_VALUE);
                } catch (Throwable e) {
                    LOG.error("Error in the thread of a loop, which goes on", e);
                }
            }
        }

        @Override
        public boolean inline() {
            return false;
        }

        @Override
        protected void release(boolean waits) {
            all().forEach(Loop::wakeup);
            for (Thread thread : waits ? threads : List.<Thread>of()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
