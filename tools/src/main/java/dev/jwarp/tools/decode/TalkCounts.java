package dev.jwarp.tools.decode;

import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.decode.CapturePlace;
import dev.jwarp.conformance.decode.Crc;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.conformance.decode.Messages;
import dev.jwarp.conformance.decode.TextLines;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of each conversation: messages by kind with their sizes, and times from requests to responses. Memory is
 * bounded: all conversations after the first {@value #MOST_CONVERSATIONS} are counted as one.
 */
final class TalkCounts implements Consumer<Item> {
    static final int MOST_CONVERSATIONS = 1000;
    private static final String READ = "RDMA Read";
    private static final String ATOMIC = "Atomic";
    private static final Set<Opcode> ASKING =
            EnumSet.of(Opcode.READ_REQUEST, Opcode.READ_RESPONSE, Opcode.ATOMIC_REQUEST, Opcode.ATOMIC_RESPONSE);

    /** Messages of one kind in one direction. */
    static final class Kept {
        private final Spread sizes = new Spread();
        private long incomplete;
        private long bytes;

        /** {@return sizes of the complete messages, in bytes} */
        Spread sizes() {
            return sizes;
        }

        /** {@return the number of messages that were not captured completely, or have a bad CRC} */
        long incomplete() {
            return incomplete;
        }

        /** {@return captured bytes of payload of all messages} */
        long bytes() {
            return bytes;
        }
    }

    /** Both directions of a conversation; the keys are {@code i>r} and {@code r>i}, and the name of a message. */
    static final class Talk {
        private final @Nullable CapturePlace place;
        /** Requests or responses may be missing. */
        private boolean lost;

        private final Map<String, Map<String, Kept>> messages = new TreeMap<>();
        private final Map<String, Map<String, ResponseTimes>> asked = new TreeMap<>();

        Talk(@Nullable CapturePlace place) {
            this.place = place;
        }

        /** {@return the place where the conversation begins; null if the object stands for several conversations} */
        @Nullable
        CapturePlace place() {
            return place;
        }

        Map<String, Map<String, Kept>> messages() {
            return messages;
        }

        Map<String, Map<String, ResponseTimes>> asked() {
            return asked;
        }
    }

    private record Key(boolean tcp, int stream) {}

    private final Map<Key, Talk> talks = new LinkedHashMap<>();
    private final Talk others = new Talk(null);
    private final Messages sums = new Messages(this::count);

    @Override
    public void accept(Item item) {
        if (item instanceof Item.Framed framed && !framed.follows()) {
            talk(framed.place()).lost = true;
        }
        sums.accept(item);
    }

    /** Notes that a connection has no more items. */
    void ended(int stream) {
        sums.ended(stream);
    }

    /** Counts unfinished messages and requests at the end of the capture. */
    void end() {
        sums.end();
        talks.values()
                .forEach(talk ->
                        talk.asked.values().forEach(kinds -> kinds.values().forEach(ResponseTimes::end)));
    }

    /** {@return the conversations in the order of their beginnings; the last may stand for all others} */
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
        Datagram fields = item.fields();
        Segment segment = fields.ddp();
        String name = segment == null
                ? fields.known() ? fields.kind().words() : "unknown"
                : segment.opcodeNumber() == 15 ? "WRITE_RECORD" : TextLines.name(segment);
        Kept kept = kept(talk(item.place()), item.place(), name);
        long length = segment == null ? item.octets().length : segment.payload().length;
        kept.bytes += length;
        // The first datagram of a message has the length of the message.
        if (item.crc() == Crc.BAD) {
            kept.incomplete++;
        } else if (segment == null) {
            kept.sizes.add(length);
        } else if (fields.index() == 0) {
            kept.sizes.add(fields.length());
        }
    }

    private void message(Item.Message item) {
        Talk talk = talk(item.place());
        Segment first = item.first();
        Kept kept = kept(talk, item.place(), TextLines.name(first));
        kept.bytes += item.length();
        // RFC 5044 §4.4: data under a wrong CRC is not what was sent.
        boolean whole = item.whole() && item.crc() != Crc.BAD;
        if (whole) {
            kept.sizes.add(item.length());
        } else {
            kept.incomplete++;
        }
        if (talk != others) {
            waits(talk, item, whole);
        }
    }

    private static void waits(Talk talk, Item.Message item, boolean whole) {
        Segment first = item.first();
        boolean asks = item.place().fromInitiator();
        long nanos = item.place().nanos();
        // Fields may be missing from a truncated packet.
        int fields = whole && item.crc() != Crc.CUT ? first.payload().length : 0;
        if (first.is(Opcode.READ_REQUEST) && fields >= 16) {
            asked(talk, asks, READ)
                    .request(new ResponseTimes.Observation(first.number(0, 4), first.number(4, 8), nanos));
        } else if (first.is(Opcode.READ_RESPONSE) && whole) {
            asked(talk, !asks, READ).response(new ResponseTimes.Observation(first.stag(), first.to(), nanos));
        } else if (first.is(Opcode.ATOMIC_REQUEST) && fields >= 8) {
            asked(talk, asks, ATOMIC).request(new ResponseTimes.Observation(0, first.number(4, 4), nanos));
        } else if (first.is(Opcode.ATOMIC_RESPONSE) && fields >= 4) {
            asked(talk, !asks, ATOMIC).response(new ResponseTimes.Observation(0, first.number(0, 4), nanos));
        } else if (first.opcode() != null && ASKING.contains(first.opcode())) {
            talk.lost = true;
        }
    }

    private static ResponseTimes asked(Talk talk, boolean byInitiator, String name) {
        ResponseTimes asked = talk.asked
                .computeIfAbsent(TextLines.direction(byInitiator), direction -> new TreeMap<>())
                .computeIfAbsent(name, request -> new ResponseTimes());
        if (talk.lost) {
            asked.lost();
        }
        return asked;
    }
}
