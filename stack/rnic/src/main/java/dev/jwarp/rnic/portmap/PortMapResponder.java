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
 * Answers requests of peers' port mappers about the listeners of this process, whose ports are mapped to themselves.
 * The responder is stateless: each REQUEST gets one answer, which is never longer, and a peer that misses the answer
 * repeats its REQUEST. So an ACK changes nothing, a flood fills no memory, and a forged source gets no more bytes than
 * were sent in its name. The caller passes the time. One thread at a time.
 */
public final class PortMapResponder {
    /** Largest number of answers per second to all sources. */
    static final int MOST = 10_000;

    /** Largest number of answers per second to one source. */
    static final int MOST_PER_SOURCE = 100;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final int PLACES = 1 << 14;

    /** Number of listeners at each address. */
    private final Map<InetSocketAddress, Integer> listeners = new HashMap<>();

    private final Rate answers;
    private long dropped;

    /** @param secret a random number */
    public PortMapResponder(long secret) {
        answers = new Rate(SECOND_NANOS, PLACES, secret);
    }

    /** Adds a listener at {@code address}, which may be a wildcard address. */
    public void add(InetSocketAddress address) {
        listeners.merge(address, 1, Integer::sum);
    }

    /** Removes a listener at {@code address}. */
    public void remove(InetSocketAddress address) {
        listeners.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    /** {@return the number of requests without an answer because of the limits per second} */
    public long dropped() {
        return dropped;
    }

    /** {@return the answer to a datagram from {@code source}; null if there is none} */
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
