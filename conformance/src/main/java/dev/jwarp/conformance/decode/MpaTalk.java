package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Both sides of a connection: their agreement, their roles, and the judgement of their FPDUs. */
final class MpaTalk {
    private final int stream;
    private final Endpoint[] ends;
    private final boolean[] fromSyn = new boolean[2];
    private final boolean named;
    private final Consumer<Item> out;

    private final MpaSide[] sides;
    private final Agreement agreement = new Agreement();
    private final OrderJudge[] orders = {new OrderJudge(), new OrderJudge()};
    /** The requests of each side, with the responses of the other. */
    private final ReadJudge[] reads;

    private final long[] framed = new long[2];
    private final boolean[] lost = new boolean[2];
    /** Whether bytes of a side are missing, and none of its FPDUs was read since. */
    private final boolean[] interrupted = new boolean[2];
    /** Whether the size of a side's last segment is certain. */
    private final boolean[] sizes = {true, true};

    private int initiator;
    private boolean found;
    private boolean dead;
    private StreamBuffer.Source now = new StreamBuffer.Source(0, 0, 0, false);
    private boolean givenUpTold;

    /**
     * A connection of which no byte was seen yet.
     *
     * @param ends the presumed initiator, then the other end
     * @param named whether the user has named its port
     */
    MpaTalk(int stream, List<Endpoint> ends, boolean named, Budget budget, Consumer<Item> out) {
        this.stream = stream;
        this.ends = ends.toArray(Endpoint[]::new);
        this.named = named;
        this.out = out;
        sides = new MpaSide[] {new MpaSide(this, budget), new MpaSide(this, budget)};
        reads = new ReadJudge[] {new ReadJudge(budget), new ReadJudge(budget)};
    }

    MpaSide side(int index) {
        return sides[index];
    }

    void now(Frame frame) {
        now = new StreamBuffer.Source(frame.number(), frame.number(), frame.nanos(), false);
    }

    /** The stream of this side is captured from its first byte. */
    void knownFromSyn(int index) {
        fromSyn[index] = true;
    }

    /** True once bytes of iWARP have been found. */
    boolean found() {
        return found;
    }

    boolean named() {
        return named;
    }

    /** True if the connection is not iWARP, so that none of its bytes need be kept. */
    boolean dead() {
        return dead;
    }

    /** True if neither side will have more items. */
    boolean isOver() {
        return sides[0].isOver() && sides[1].isOver();
    }

    @Nullable
    Boolean crcInUse() {
        return agreement.crcInUse();
    }

    @Nullable
    Boolean markersFrom(MpaSide side) {
        return agreement.markersFrom(index(side) == initiator);
    }

    private int index(MpaSide side) {
        return side == sides[0] ? 0 : 1;
    }

    /** The first bytes of a side are no MPA key. */
    void noKey(MpaSide side) {
        int index = index(side);
        if (fromSyn[index] && !named && !found) {
            dead = true;
            over();
            return;
        }
        side.seekFrames();
        if (fromSyn[index]) {
            boolean initiates = index == initiator;
            Breaches breaches = new Breaches();
            breaches.add(
                    initiates ? "MPA-7.1.1-1" : "MPA-7.1.1-3",
                    "the first bytes are not the key of an MPA " + (initiates ? "Request" : "Reply"));
            note(side, "the stream does not begin with an MPA key; looking for an FPDU", breaches);
        }
        noAnswer(index);
    }

    /** The startup frame of a side was not captured. */
    void noStart(MpaSide side) {
        side.seekFrames();
        noAnswer(index(side));
    }

    private void noAnswer(int index) {
        if (agreement.request() != null && index != initiator) {
            sides[initiator].goOnWithoutReply();
        }
    }

    /** Drops all bytes of both sides that wait for more bytes. */
    void giveUp() {
        if (found && !givenUpTold) {
            givenUpTold = true;
            note(
                    sides[initiator],
                    "too many bytes of this capture wait for later ones: those of this connection are dropped");
        }
        sides[0].giveUp();
        sides[1].giveUp();
        reads[0].lost();
        reads[1].lost();
    }

    private void over() {
        sides[0].over();
        sides[1].over();
    }

    /** A side has no more bytes: the record of its segments is not needed any more. */
    void forget(MpaSide side) {
        int index = index(side);
        orders[index].lost();
        if (sides[1 - index].isOver()) {
            reads[0].lost();
            reads[1].lost();
        }
    }

    /** Takes bytes of a side. */
    void speaks(MpaSide side) {
        if (!side.otherBehind()) {
            sides[1 - index(side)].answered();
        }
    }

    /** A startup frame was followed by more private data than it states. */
    void morePrivateData(MpaSide side, int stated, int more) {
        Breaches breaches = new Breaches();
        StartJudge.privateData(stated, stated + more, breaches);
        note(side, "the first FPDU begins " + more + " bytes later than the startup frame states", breaches);
    }

    void started(MpaSide side, SideStart.Taken taken) {
        int index = index(side);
        boolean request = taken.request();
        StartFrame frame = StartFrame.parse(taken.octets());
        initiator = request ? index : 1 - index;
        announce(side, taken.source(), "MPA, by its " + (request ? "Request" : "Reply"));
        agreement.started(request, frame);
        List<Finding> findings = request
                ? StartJudge.request(frame, taken.declared())
                : StartJudge.reply(frame, taken.declared(), agreement.request());
        out.accept(new Item.Start(place(index, taken.source()), request, frame, taken.octets(), findings));
        if (!request && frame.has(StartFrame.REJECT)) {
            note(side, "the connection was rejected: no FPDUs follow");
            over();
        } else if (agreement.reply() != null) {
            openBoth();
        }
    }

    private void openBoth() {
        for (int i = 0; i < 2; i++) {
            int peer = 1 - i;
            reads[i].limit(start(i), start(peer));
        }
        // The initiator sends first: RFC 5044 §7.1.2.
        sides[initiator].open(agreement.markersFrom(true));
        sides[1 - initiator].open(agreement.markersFrom(false));
    }

    private @Nullable StartFrame start(int index) {
        return index == initiator ? agreement.request() : agreement.reply();
    }

    /**
     * The start of an FPDU was found in the middle of the stream.
     *
     * @param how the evidence for the start; empty if no note is wanted
     */
    void foundBy(MpaSide side, String how, long skipped, StreamBuffer.Source source) {
        announce(side, source, "its start was not captured");
        lost(side);
        if (!how.isEmpty()) {
            String before = skipped > 0 ? "; " + skipped + " bytes before it left out" : "";
            note(side, source, "an FPDU begins here, by " + how + before, List.of());
        }
    }

    private void announce(MpaSide side, StreamBuffer.Source source, String how) {
        if (!found) {
            found = true;
            note(side, source, ends[initiator] + " > " + ends[1 - initiator] + ": " + how, List.of());
        }
    }

    void lost(MpaSide side) {
        int index = index(side);
        lost[index] = true;
        interrupted[index] = true;
        orders[index].lost();
        reads[0].lost();
        reads[1].lost();
    }

    void sizeUnclear(MpaSide side) {
        sizes[index(side)] = false;
    }

    /** A side breaks a rule of framing; from here on it is read by its own rule. */
    void misframed(MpaSide side, FramingFault fault, String what, StreamBuffer.Source source) {
        announce(side, source, "its FPDUs");
        Finding finding = new Finding(fault.requirement(Boolean.TRUE.equals(agreement.crcInUse())), what);
        sizeUnclear(side);
        String text = "this side breaks a rule of framing; from here on it is read by its own rule";
        note(side, source, text, List.of(finding));
    }

    /**
     * An FPDU was read.
     *
     * @param sized whether the size of its segment is certain
     */
    void framed(MpaSide side, Fpdu fpdu, FramingFault fault, boolean sized, StreamBuffer.Source source) {
        int index = index(side);
        Crc crc = source.missing() ? Crc.CUT : crc(fpdu, fault);
        Breaches breaches = new Breaches();
        FrameJudge.judge(fpdu, crc, breaches);
        Segment segment = Segment.whole(fpdu.ulpdu()) ? fpdu.segment() : null;
        TerminateFields cause = null;
        if (segment == null) {
            breaches.add("MPA-3-1", "the ULPDU of %s bytes holds no DDP header", fpdu.ulpdu().length);
        } else {
            boolean cut = crc == Crc.CUT;
            if (segment.is(Opcode.TERMINATE) && !cut) {
                cause = TerminateFields.parseAt(framed[1 - index] == 0 && !isBehind(side), segment.payload());
            }
            // RFC 5044 §4.4: the bytes under a wrong CRC are not the bytes that were sent.
            if (crc != Crc.BAD) {
                sizes[index] &= sized;
                if (!sizes[index]) {
                    orders[index].lost();
                    reads[1 - index].lost();
                }
                sizes[index] = sized;
                new SegmentJudge(segment, cut, cause, breaches).judge();
                orders[index].judge(segment, breaches);
                judgeTogether(side, index, segment, cut, breaches);
            }
        }
        framed[index]++;
        boolean follows = !interrupted[index];
        interrupted[index] = false;
        out.accept(new Item.Framed(place(index, source), follows, fpdu, crc, segment, cause, breaches.list()));
    }

    private void judgeTogether(MpaSide side, int index, Segment segment, boolean cut, Breaches breaches) {
        if (index != initiator
                && framed[initiator] == 0
                && !lost[0]
                && !lost[1]
                && !isBehind(side)
                && agreement.request() != null) {
            breaches.add("MPA-7.1.2-6", "the responder sends before a valid FPDU of the initiator");
        }
        if (index == initiator && framed[index] == 0 && !lost[index] && !agreement.opensAsAgreed(segment)) {
            breaches.add("MPA2-9.2-4", "the first FPDU is no Ready-to-Receive message that was agreed on");
        }
        if (segment.is(Opcode.READ_REQUEST) || segment.is(Opcode.ATOMIC_REQUEST)) {
            reads[index].asked(segment, cut, breaches);
        } else if (segment.is(Opcode.READ_RESPONSE) || segment.is(Opcode.ATOMIC_RESPONSE)) {
            reads[1 - index].answered(segment, !isBehind(side), breaches);
        }
    }

    /** True if bytes of the other side that this side may have received are not decoded yet. */
    private boolean isBehind(MpaSide side) {
        return side.otherBehind() || sides[1 - index(side)].holds();
    }

    private Crc crc(Fpdu fpdu, FramingFault fault) {
        if (fault.lacksCrc()) {
            return Crc.NONE;
        }
        return fault.ofCrc() && fpdu.crcGood() ? Crc.OWN : agreement.crc(fpdu.crcGood() && !fault.ofCrc());
    }

    void note(MpaSide side, String text) {
        note(side, text, new Breaches());
    }

    private void note(MpaSide side, String text, Breaches breaches) {
        note(side, now, text, breaches.list());
    }

    private void note(MpaSide side, StreamBuffer.Source source, String text, List<Finding> findings) {
        out.accept(new Item.Note(place(index(side), source), text, findings));
    }

    private CapturePlace place(int index, StreamBuffer.Source source) {
        return new CapturePlace(
                source.lastFrame(),
                source.firstFrame(),
                source.nanos(),
                true,
                stream,
                index == initiator,
                ends[index],
                ends[1 - index]);
    }
}
