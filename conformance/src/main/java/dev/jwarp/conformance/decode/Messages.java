package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sums up the segments of messages of connections, so that each message has one item instead of one for
 * each FPDU. All other items pass through. {@link #ended} must be called for each connection that has ended.
 */
public final class Messages implements Consumer<Item> {
    /** Limit of the kept findings of a message: the first ones show what went wrong. */
    private static final int MOST_FINDINGS = 32;
    /** Limit of the unfinished messages and of their findings; beyond it the oldest message is dropped. */
    static final int MOST_OPEN = 65_536;

    /** Replaces the queue number for tagged messages. */
    private static final long TAGGED = -1;

    /** Size that holds all headers of a segment. */
    private static final int MOST_KEPT = 96;

    private final Consumer<Item> out;
    /** The unfinished messages: for each side one tagged message, and one on each queue. */
    private final Map<Slot, Open> open = new LinkedHashMap<>();
    /** The same, by connection. */
    private final Map<Integer, Set<Slot>> ofStream = new HashMap<>();

    private int findingsHeld;
    /** Keys of {@link #TAGGED} whose next segment may not be the first of its message. */
    private final Set<Slot> amid = new HashSet<>();

    private record Slot(int stream, boolean fromInitiator, long queue) {}

    private static final class Open {
        private final CapturePlace start;
        private final Segment first;
        private final boolean fromStart;
        private final List<Finding> findings = new ArrayList<>();
        private int segments;
        private long length;
        private Crc crc = Crc.OK;

        Open(CapturePlace start, Segment first, boolean fromStart) {
            this.start = start;
            this.first = first;
            this.fromStart = fromStart;
        }
    }

    public Messages(Consumer<Item> out) {
        this.out = out;
    }

    @Override
    public void accept(Item item) {
        if (item instanceof Item.Framed framed && framed.segment() != null) {
            segment(framed, framed.segment());
        } else {
            out.accept(item);
        }
    }

    private void segment(Item.Framed item, Segment segment) {
        CapturePlace place = item.place();
        Slot tagged = new Slot(place.stream(), place.fromInitiator(), TAGGED);
        if (!item.follows()) {
            // The MSN and MO of an untagged segment show to which message it belongs.
            amid.add(tagged);
            giveUp(tagged);
        }
        Slot slot = segment.tagged() ? tagged : new Slot(place.stream(), place.fromInitiator(), segment.queue());
        Open message = open.get(slot);
        if (message != null && !continues(message, segment)) {
            giveUp(slot);
            message = null;
        }
        if (message == null) {
            boolean fromStart = segment.tagged() ? !amid.contains(tagged) : segment.mo() == 0;
            message = new Open(place, segment.last() ? segment : beginning(segment), fromStart);
            if (!segment.last()) {
                open.put(slot, message);
                ofStream.computeIfAbsent(slot.stream, stream -> new LinkedHashSet<>())
                        .add(slot);
            }
        }
        if (segment.tagged() && segment.last()) {
            amid.remove(tagged);
        } else if (segment.tagged()) {
            amid.add(tagged);
        }
        message.segments++;
        message.length += segment.payload().length;
        message.crc = message.crc.compareTo(item.crc()) >= 0 ? message.crc : item.crc();
        for (Finding finding : item.findings()) {
            if (message.findings.size() < MOST_FINDINGS) {
                message.findings.add(finding);
                findingsHeld++;
            }
        }
        if (segment.last()) {
            finish(slot, message, place, message.fromStart, item);
        }
        while (open.size() + findingsHeld > MOST_OPEN) {
            giveUp(open.keySet().iterator().next());
        }
    }

    /** The part of a segment that is kept while its message goes on: the payload may be long. */
    private static Segment beginning(Segment segment) {
        byte[] octets = segment.bytes();
        return Segment.parse(Arrays.copyOf(octets, Math.min(octets.length, MOST_KEPT)));
    }

    private static boolean continues(Open message, Segment segment) {
        return segment.opcodeNumber() == message.first.opcodeNumber()
                && (segment.tagged()
                        ? segment.to() == message.first.to() + message.length
                        : segment.msn() == message.first.msn() && segment.mo() == message.first.mo() + message.length);
    }

    private void giveUp(Slot slot) {
        Open message = open.get(slot);
        if (message != null) {
            finish(slot, message, message.start, false, null);
        }
    }

    private void finish(Slot slot, Open message, CapturePlace last, boolean whole, Item.@Nullable Framed end) {
        if (open.remove(slot) != null) {
            Set<Slot> others = ofStream.getOrDefault(slot.stream, Set.of());
            others.remove(slot);
            if (others.isEmpty()) {
                ofStream.remove(slot.stream);
            }
        }
        findingsHeld -= message.findings.size();
        CapturePlace place = new CapturePlace(
                last.frame(),
                message.start.firstFrame(),
                last.nanos(),
                true,
                last.stream(),
                last.fromInitiator(),
                last.source(),
                last.target());
        out.accept(new Item.Message(
                place,
                message.first,
                message.segments,
                message.length,
                whole,
                message.crc,
                end == null ? null : end.terminated(),
                List.copyOf(message.findings)));
    }

    /** Passes on the unfinished messages of a connection, which will not end any more. */
    public void ended(int stream) {
        List.copyOf(ofStream.getOrDefault(stream, Set.of())).forEach(this::giveUp);
        amid.remove(new Slot(stream, true, TAGGED));
        amid.remove(new Slot(stream, false, TAGGED));
    }

    /** Passes on all unfinished messages. */
    public void end() {
        List.copyOf(open.keySet()).forEach(this::giveUp);
    }
}
