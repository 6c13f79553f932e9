package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.ReceivePlace;
import dev.jwarp.verbs.RdmaException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * More memory for streams that have too little. A JVM without direct memory collects garbage and waits half a second before it says so: when there was none, it is not
 * asked for again for a while, by any stream; a stream that still has too little afterwards asks again. Any thread.
 */
final class ReceiveGrowth {
    /** So long no stream asks once there was none. */
    static final long PAUSE_NANOS = 60_000_000_000L;

    /** That of all streams. */
    static final ReceiveGrowth OF_PROCESS = new ReceiveGrowth(System::nanoTime);

    private static final Logger LOG = LoggerFactory.getLogger(ReceiveGrowth.class);

    private final LongSupplier nanoTime;
    private final AtomicLong refused;

    /** @param nanoTime a clock */
    ReceiveGrowth(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        refused = new AtomicLong(nanoTime.getAsLong() - PAUSE_NANOS);
    }

    /**
     * {@return a larger place; the same, if there is none now}
     *
     * @param length of the larger one, in bytes
     * @param memory gives a place of so many bytes, or throws
     */
    ReceivePlace larger(ReceivePlace place, int length, IntFunction<ReceivePlace> memory) {
        long now = nanoTime.getAsLong();
        if (now - refused.get() < PAUSE_NANOS) {
            return place;
        }
        try {
            return memory.apply(length);
        } catch (RdmaException e) {
            refused.set(now);
            LOG.warn(
                    "Streams go on with {} bytes to receive in: {}",
                    2 * place.memory().capacity(),
                    e.getMessage());
            return place;
        }
    }
}
