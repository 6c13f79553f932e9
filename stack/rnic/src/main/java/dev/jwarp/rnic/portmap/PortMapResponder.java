package dev.jwarp.rnic.portmap;

import dev.jwarp.base.Rate;
import dev.jwarp.base.SourceKey;
import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers the questions of peers' port mappers about the listeners of this process, whose ports are mapped to
 * themselves. It keeps nothing of a question: each gets one answer, shorter than itself, and a peer that misses it asks
 * again. So an ACK changes nothing, a flood finds nothing to fill, and a forged source gets less than was sent in its
 * name. Time is handed in. One thread at a time.
 */
public final class PortMapResponder {
    /** Answers in a second, to all together. */
    static final int MOST = 10_000;

    /** Answers in a second to one source. */
    static final int MOST_PER_SOURCE = 100;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final int PLACES = 1 << 14;

    /** How many listeners there are at each address. */
    private final Map<InetSocketAddress, Integer> listeners = new HashMap<>();

    private final Rate answers;
    private long dropped;

    /** @param secret a random number */
    public PortMapResponder(long secret) {
        answers = new Rate(SECOND_NANOS, PLACES, secret);
    }

    /** There is one more listener at {@code address}, which may have the wildcard address. */
    public void add(InetSocketAddress address) {
        listeners.merge(address, 1, Integer::sum);
    }

    /** There is one less. */
    public void remove(InetSocketAddress address) {
        listeners.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    /**
     * {@return how many questions got no answer because their source, or all together, had had as many as there are in
     * a second}
     */
    public long dropped() {
        return dropped;
    }

    /** {@return the answer to what has come from {@code source}; null if it gets none} */
    public @Nullable ByteBuffer answer(ByteBuffer datagram, InetSocketAddress source, long nowNanos) {
        PortMapMessage message = PortMapMessage.parse(datagram);
        if (message == null || message.kind() != Kind.REQUEST) {
            return null;
        }
        long key = SourceKey.of(source);
        if (answers.all(nowNanos) >= MOST || answers.of(key, nowNanos) >= MOST_PER_SOURCE) {
            dropped++;
            return null;
        }
        answers.count(key, nowNanos);
        Kind kind = listens(message.accepting()) ? Kind.ACCEPT : Kind.REJECT;
        return message.answer(kind, message.accepting()).encode();
    }

    private boolean listens(InetSocketAddress asked) {
        if (listeners.containsKey(asked)) {
            return true;
        }
        for (InetSocketAddress listener : listeners.keySet()) {
            if (listener.getPort() == asked.getPort() && listener.getAddress().isAnyLocalAddress()) {
                return true;
            }
        }
        return false;
    }
}
