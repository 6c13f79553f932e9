package dev.jwarp.rnic;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.connection.Connections;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Contexts for the states of the tests, over transports without traffic. */
public final class Rig {
    /** Threaded progress: a waiting thread sleeps at once. */
    public static final CompletionQueues THREADED;

    /** Inline progress: polling threads drive. */
    public static final CompletionQueues INLINE = context(true).completionQueues();

    public static final Connections CONNECTIONS;
    public static final RnicProtectionDomain DOMAIN;

    static {
        RnicContext context = context(false);
        THREADED = context.completionQueues();
        CONNECTIONS = context.connections();
        DOMAIN = (RnicProtectionDomain) context.allocateProtectionDomain();
    }

    private static final ThreadLocal<@Nullable Runnable> STEP = new ThreadLocal<>();

    private Rig() {}

    private static RnicContext context(boolean inline) {
        return (RnicContext)
                new RnicProvider().rnic().open(new Still(inline), System::nanoTime, new SplittableRandom(1), Map.of());
    }

    /** Runs {@code step} as the transport of {@link #INLINE} runs its work: within the call of the driving thread. */
    public static void drive(Runnable step) {
        STEP.set(step);
        while (STEP.get() != null) {
            INLINE.core().progression().poll();
        }
    }

    private record Still(boolean inline) implements Transport {
        @Override
        public boolean poll() {
            Runnable step = STEP.get();
            STEP.remove();
            if (step != null) {
                step.run();
            }
            return step != null;
        }

        @Override
        public void await(long nanos) {}

        @Override
        public void later(Runnable task) {
            task.run();
        }

        @Override
        public boolean movedHere() {
            return false;
        }

        @Override
        public void wakeup() {}

        @Override
        public Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LlpConnection connect(
                InetSocketAddress remote,
                @Nullable InetSocketAddress local,
                StartParameters offer,
                long timeoutNanos,
                UpperLayer upper,
                ConnectionHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
