package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.capture.Packet.Tcp;
import java.util.function.Consumer;

/** One TCP connection: segments in, octets in order out to MPA. */
final class TcpConversation {
    private final int stream;
    private final Endpoint first;
    private final MpaTalk talk;
    private final StreamOrder[] orders;

    /**
     * A connection, from the first segment that was seen of it.
     *
     * @param named whether the user named its port
     */
    TcpConversation(int stream, Tcp segment, boolean named, boolean sourceIsNamed, Budget budget, Consumer<Item> out) {
        // The side that opens sends a SYN without ACK. Where none was seen: servers have the port that was named, or
        // the lower one.
        boolean opens = segment.has(Tcp.SYN)
                ? !segment.has(Tcp.ACK)
                : named
                        ? !sourceIsNamed
                        : segment.source().port() >= segment.target().port();
        this.stream = stream;
        first = opens ? segment.source() : segment.target();
        Endpoint second = opens ? segment.target() : segment.source();
        talk = new MpaTalk(stream, first, second, named, segment.frame(), out);
        orders = new StreamOrder[] {new StreamOrder(talk.side(0), budget), new StreamOrder(talk.side(1), budget)};
    }

    /** True if the segment opens another connection between the same ports. */
    boolean isOver(Tcp segment) {
        return orders[index(segment)].isAnotherOpening(segment);
    }

    int stream() {
        return stream;
    }

    /** True if nothing more of it will be handed out. */
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

    /** Nothing more will come. */
    void flush() {
        orders[0].flush();
        orders[1].flush();
    }
}
