package dev.jwarp.tools.decode;

import dev.jwarp.conformance.decode.CapturePlace;
import dev.jwarp.conformance.decode.Crc;
import dev.jwarp.conformance.decode.DatagramFields;
import dev.jwarp.conformance.decode.DatagramFields.Kind;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.conformance.decode.Messages;
import dev.jwarp.conformance.decode.TextLines;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was said in each conversation: messages by kind with their sizes, and how long requests waited for their responses. Bounded: what comes
 * after the first {@value #MOST_CONVERSATIONS} conversations is counted together.
 */
final class TalkCounts implements Consumer<Item> {
    static final int MOST_CONVERSATIONS = 1000;
    private static final String READ = "RDMA Read";
    private static final String ATOMIC = "Atomic";
    /** Requests of one side that wait for a response; beyond this the oldest is given up. */
    private static final int MOST_WAITING = 4096;

    /** Messages of one kind in one direction. */
    static final class Kept {
        private final Spread sizes = new Spread();
        private long incomplete;
        private long bytes;

        /** {@return sizes of those that were seen whole, in bytes} */
        Spread sizes() {
            return sizes;
        }

        /** {@return how many were not seen whole} */
        long incomplete() {
            return incomplete;
        }

        /** {@return bytes of payload that were seen of all} */
        long bytes() {
            return bytes;
        }
    }

    /** What one side asked for: from when the request was captured to when the last of its response was. */
    static final class Asked {
        private final Spread nanos = new Spread();
        private final Deque<Request> waiting = new ArrayDeque<>();
        private long givenUp;

        Spread nanos() {
            return nanos;
        }

        private void add(Request request) {
            waiting.add(request);
            if (waiting.size() > MOST_WAITING) {
                waiting.remove();
                givenUp++;
            }
        }

        /** Responses come in the order of their requests (RFC 5040 §5.5): what is before this one was not seen. */
        private void answered(long stag, long place, long now) {
            if (waiting.stream().noneMatch(request -> request.stag == stag && request.place == place)) {
                return;
            }
            Request request = waiting.remove();
            while (request.stag != stag || request.place != place) {
                givenUp++;
                request = waiting.remove();
            }
            nanos.add(now - request.nanos);
        }

        long unanswered() {
            return givenUp + waiting.size();
        }
    }

    /** A request, and by what its response is known: STag and offset of the sink, or the identifier. */
    private record Request(long stag, long place, long nanos) {}

    /** Both directions of a conversation; the keys are {@code i>r} and {@code r>i}, and the name of a message. */
    static final class Talk {
        private final @Nullable CapturePlace place;
        private final Map<String, Map<String, Kept>> messages = new TreeMap<>();
        private final Map<String, Map<String, Asked>> asked = new TreeMap<>();

        Talk(@Nullable CapturePlace place) {
            this.place = place;
        }

        /** {@return where it was seen first; null if it stands for several} */
        @Nullable
        CapturePlace place() {
            return place;
        }

        Map<String, Map<String, Kept>> messages() {
            return messages;
        }

        Map<String, Map<String, Asked>> asked() {
            return asked;
        }
    }

    private record Key(boolean tcp, int stream) {}

    private final Map<Key, Talk> talks = new LinkedHashMap<>();
    private final Talk others = new Talk(null);
    private final Messages sums = new Messages(this::count);

    @Override
    public void accept(Item item) {
        sums.accept(item);
    }

    /** Says that a connection has no more items. */
    void ended(int stream) {
        sums.ended(stream);
    }

    /** Counts what has begun and will not end. */
    void end() {
        sums.end();
    }

    /** {@return the conversations in the order in which they began; the last may stand for all others} */
    List<Talk> talks() {
        List<Talk> all = new ArrayList<>(talks.values());
        if (!others.messages.isEmpty()) {
            all.add(others);
        }
        return all;
    }

    private void count(Item item) {
        if (item instanceof Item.Message message) {
            message(message);
        } else if (item instanceof Item.Datagram datagram) {
            datagram(datagram);
        }
    }

    private Talk talk(CapturePlace place) {
        Key key = new Key(place.tcp(), place.stream());
        Talk talk = talks.get(key);
        if (talk == null) {
            if (talks.size() == MOST_CONVERSATIONS) {
                return others;
            }
            talk = new Talk(place);
            talks.put(key, talk);
        }
        return talk;
    }

    private static Kept kept(Talk talk, CapturePlace place, String name) {
        return talk.messages
                .computeIfAbsent(TextLines.direction(place.fromInitiator()), direction -> new TreeMap<>())
                .computeIfAbsent(name, message -> new Kept());
    }

    private void datagram(Item.Datagram item) {
        DatagramFields fields = item.fields();
        Segment segment = fields.segment();
        Kind kind = fields.kind();
        String name = segment == null
                ? kind == null ? "unknown" : kind.words()
                : segment.opcodeNumber() == 15 ? "WRITE_RECORD" : TextLines.name(segment);
        Kept kept = kept(talk(item.place()), item.place(), name);
        long length = segment == null ? fields.octets().length : segment.payload().length;
        kept.bytes += length;
        // Of a message of several datagrams the first tells how long it is.
        if (segment == null) {
            kept.sizes.add(length);
        } else if (fields.segmentIndex() == 0) {
            kept.sizes.add(fields.messageLength());
        }
    }

    private void message(Item.Message item) {
        Talk talk = talk(item.place());
        Segment first = item.first();
        Kept kept = kept(talk, item.place(), TextLines.name(first));
        kept.bytes += item.length();
        if (!item.whole()) {
            kept.incomplete++;
            return;
        }
        kept.sizes.add(item.length());
        if (talk == others) {
            return;
        }
        boolean asks = item.place().fromInitiator();
        // Of a request that was cut the fields may be missing.
        int length = item.crc() == Crc.CUT ? 0 : first.payload().length;
        if (first.is(Opcode.READ_REQUEST) && length >= 16) {
            asked(talk, asks, READ)
                    .add(new Request(
                            first.number(0, 4), first.number(4, 8), item.place().nanos()));
        } else if (first.is(Opcode.ATOMIC_REQUEST) && length >= 8) {
            asked(talk, asks, ATOMIC)
                    .add(new Request(0, first.number(4, 4), item.place().nanos()));
        } else if (first.is(Opcode.READ_RESPONSE)) {
            asked(talk, !asks, READ)
                    .answered(first.stag(), first.to(), item.place().nanos());
        } else if (first.is(Opcode.ATOMIC_RESPONSE) && length >= 4) {
            asked(talk, !asks, ATOMIC)
                    .answered(0, first.number(0, 4), item.place().nanos());
        }
    }

    private static Asked asked(Talk talk, boolean byInitiator, String name) {
        return talk.asked
                .computeIfAbsent(TextLines.direction(byInitiator), direction -> new TreeMap<>())
                .computeIfAbsent(name, request -> new Asked());
    }
}
