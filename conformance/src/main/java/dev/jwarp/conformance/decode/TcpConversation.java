package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.capture.Packet.Tcp;
import java.util.List;
import java.util.function.Consumer;

/** One TCP connection: takes segments and passes their bytes to MPA in order. */
final class TcpConversation {
    private final int stream;
    private final Endpoint first;
    private final MpaTalk talk;
    private final StreamOrder[] orders;
    private final Budget budget;

    /**
     * A connection, created at its first captured segment.
     *
     * @param named whether the user has named its port
     */
    TcpConversation(int stream, Tcp segment, boolean named, boolean sourceIsNamed, Budget whole, Consumer<Item> out) {
        // The side that opens sends a SYN without ACK. If no SYN was captured: the server has the named port, or
        // the lower one.
        boolean opens = segment.has(Tcp.SYN)
                ? !segment.has(Tcp.ACK)
                : named
                        ? !sourceIsNamed
                        : segment.source().port() >= segment.target().port();
        this.stream = stream;
        first = opens ? segment.source() : segment.target();
        Endpoint second = opens ? segment.target() : segment.source();
        budget = whole.part();
        talk = new MpaTalk(stream, List.of(first, second), named, budget, out);
        orders = new StreamOrder[] {new StreamOrder(talk.side(0), budget), new StreamOrder(talk.side(1), budget)};
    }

    /** True if the segment opens another connection between the same ports. */
    boolean isOver(Tcp segment) {
        return orders[index(segment)].isAnotherOpening(segment);
    }

    int stream() {
        return stream;
    }

    /** True if the connection has no more items. */
    boolean isDone() {
        return talk.isOver();
    }

    private int index(Tcp segment) {
        return segment.source().equals(first) ? 0 : 1;
    }

    void add(Tcp segment) {
        if (talk.dead()) {
            return;
        }
        talk.now(segment.frame());
        int index = index(segment);
        if (segment.has(Tcp.SYN)) {
            talk.knownFromSyn(index);
        }
        StreamOrder other = orders[1 - index];
        other.acknowledged(segment);
        talk.side(index).otherBehind(other.behind(segment));
        orders[index].add(segment);
        if (segment.has(Tcp.RST)) {
            flush();
        }
        if (talk.dead()) {
            orders[0].drop();
            orders[1].drop();
        }
    }

    /** True if any bytes wait for more bytes. */
    boolean holds() {
        return budget.held() > 0;
    }

    /** Ends all waiting for more bytes, because other connections need the memory. */
    void giveUp() {
        orders[0].hurry();
        orders[1].hurry();
        talk.giveUp();
    }

    /** Releases the memory; the connection is not used any more. */
    void release() {
        budget.release();
    }

    /** Ends the connection: no more segments will come. */
    void flush() {
        orders[0].flush();
        orders[1].flush();
    }
}
