package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Deframer;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Described;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.PriorSegment;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.Terminated;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with one device over one connection: what a case is written in. Start-up, then FPDUs as agreed; each {@code expect…}
 * throws a {@link Deviation} that says what should have come and what came.
 *
 * <p>What arrives unasked is judged too: an FPDU whose CRC is wrong while CRCs are in use, a wrong Marker, or a segment shorter than its
 * header is a deviation wherever it is met.
 */
public final class Talk implements AutoCloseable {
    /** Bytes of a message that are waited for: no case asks for so many. */
    private static final int MOST = 16 << 20;

    /** Answers that together have Markers enough. */
    private static final int MOST_PROVOKED = 24;

    /** ULPDU_Length, an empty tagged segment, the CRC. */
    private static final int LEAST_FPDU = 2 + Segment.TAGGED + 4;

    /** The cause of a Terminate after a wrong CRC (RFC 5044 §8), as {@code 0xLTCC}. */
    private static final int WRONG_CRC = 0x2002;

    private static final Depths NOT_AGREED = Depths.clientServer(Depths.UNSET, Depths.UNSET);

    private final Wire wire;
    private final Role device;
    private final Patience patience;

    private @Nullable StartFrame ours;
    private @Nullable StartFrame theirs;
    private @Nullable Framer out;
    private @Nullable Deframer in;
    private @Nullable FramingDiagnosis diagnosis;
    private boolean crc;
    private boolean crcAskedByBoth;
    private boolean marked;
    private long sendMsn = 1;
    private long readMsn = 1;
    private final Seen seen = new Seen();
    private @Nullable Supplier<Segment> provocation;
    private Consumer<Segment> listener = segment -> {};
    private final Set<String> relied = new LinkedHashSet<>();
    private boolean sent;

    public Talk(Wire wire, Role device, Patience patience) {
        this.wire = wire;
        this.device = device;
        this.patience = patience;
    }

    // ---- start-up
    /** Puts what is sent from now on into other writes: then the device must take a stream however it is cut. */
    public void writing(Wire.Writes how) {
        wire.writing(how);
        switch (how) {
            case BYTE_BY_BYTE -> relied.add(Basics.PIECES);
            case TOGETHER -> relied.add(Basics.TOGETHER);
            case EACH -> {}
        }
    }

    /** Sends bytes as they are, outside all framing. */
    public void sendOctets(byte[] octets, String note) {
        wire.send(octets, note);
    }

    /** Sends a Request or Reply. */
    public void send(StartFrame frame) {
        wire.send(frame.bytes(), frame.key().equals(StartFrame.REPLY_KEY) ? "MPA Reply" : "MPA Request");
    }

    /** Waits for the device's Request or Reply, by its role, and checks the Key and the length. */
    public StartFrame expectFrame() {
        String name = device == Role.INITIATOR ? "MPA Request" : "MPA Reply";
        relied.add(keyRule());
        long began = System.nanoTime();
        if (!wire.await(StartFrame.HEADER, patience.answerMillis())) {
            if (wire.held().length == 0) {
                lateIfComes(began);
            }
            throw new Deviation("an " + name, came());
        }
        String key = device == Role.INITIATOR ? StartFrame.REQUEST_KEY : StartFrame.REPLY_KEY;
        byte[] head = Arrays.copyOf(wire.held(), StartFrame.HEADER);
        if (!StartFrame.parse(head).key().equals(key)) {
            throw Deviation.from(keyRule(), "the Key of an " + name, Octets.hex(head));
        }
        int length = StartFrame.declaredLength(wire.held());
        if (length > 512) {
            throw Deviation.from(
                    Basics.PRIVATE_DATA_LENGTH,
                    "an " + name + " with a PD_Length of at most 512 (RFC 5044 §7.1.1)",
                    "PD_Length " + length);
        }
        if (!wire.await(StartFrame.HEADER + length, patience.answerMillis())) {
            throw Deviation.from(
                    Basics.PRIVATE_DATA_LENGTH, "an " + name + " with " + length + " bytes of private data", came());
        }
        StartFrame frame = StartFrame.parse(wire.take(StartFrame.HEADER + length));
        if (frame.has(StartFrame.ENHANCED) && !frame.has(StartFrame.REJECT) && frame.depths() == null) {
            throw Deviation.from(
                    Basics.WORD_PRESENT, "an IRD/ORD word in an " + name + " with S=1", Octets.hex(frame.bytes()));
        }
        theirs = frame;
        checkNothingBehind(frame, name);
        if (frame.revision() < 1 || frame.revision() > 2) {
            throw Deviation.from(Basics.REVISION, "revision 1 or 2 in an " + name, "revision " + frame.revision());
        }
        return frame;
    }

    /** What has come with the frame, and is no FPDU, should have been counted in PD_Length. */
    private void checkNothingBehind(StartFrame frame, String name) {
        int more = wire.held().length;
        if (more > 0 && more < LEAST_FPDU) {
            throw Deviation.from(
                    frame.has(StartFrame.ENHANCED) && more == Depths.SIZE
                            ? Basics.WORD_PRESENT
                            : Basics.PRIVATE_DATA_LENGTH,
                    "nothing behind an " + name + " of " + frame.bytes().length + " bytes, as its PD_Length says",
                    more + " bytes more: " + Octets.hex(wire.held()));
        }
    }

    /** The requirement that tells how the device's frame begins. */
    private String keyRule() {
        return Basics.firstWord(device);
    }

    /** Both frames: ours is sent first or second as the device's role wants. Returns the device's, whatever it says. */
    public StartFrame exchange(StartFrame ours) {
        if (device == Role.INITIATOR) {
            StartFrame request = expectFrame();
            send(ours);
            return request;
        }
        send(ours);
        relied.add(ours.has(StartFrame.ENHANCED) ? Basics.ENHANCED_REPLY : Basics.PLAIN_REPLY);
        if (ours.has(StartFrame.ENHANCED)) {
            relied.add(Basics.WORD);
        }
        return expectFrame();
    }

    /**
     * Both frames, accepted, and full operation begins with the Markers and CRCs that they agree on. Complains if the device rejects.
     */
    public StartFrame open(StartFrame ours) {
        StartFrame frame = exchange(ours);
        if (device == Role.RESPONDER && frame.has(StartFrame.REJECT)) {
            throw new Deviation("an MPA Reply that accepts", "a Reply with R=1");
        }
        begin(ours, frame);
        return frame;
    }

    /** Both frames: ours is what the tester offers, changed as the case wants. */
    public StartFrame open(Offer offer, UnaryOperator<StartFrame> change) {
        if (device == Role.RESPONDER) {
            return open(change.apply(offer.request()));
        }
        StartFrame request = expectFrame();
        StartFrame reply = change.apply(offer.replyTo(request));
        send(reply);
        begin(reply, request);
        Depths agreed = reply.depths();
        if (agreed != null && agreed.peerToPeer() && agreed.rtr() != 0 && !reply.has(StartFrame.REJECT)) {
            takeReadyToReceive();
        }
        return request;
    }

    /** RFC 6581 §9.2: between peers the device's first message is empty and means only that it is ready. */
    private void takeReadyToReceive() {
        Segment ready = expectSegment("a Ready-to-Receive message");
        if (ready.is(Opcode.READ_REQUEST)) {
            send(Segment.response(ready, new byte[0]));
        }
    }

    /** Full operation begins, as these two frames agree (RFC 5044 §7.1.1). */
    public void begin(StartFrame ours, StartFrame device) {
        crc = ours.has(StartFrame.CRC) || device.has(StartFrame.CRC);
        crcAskedByBoth = ours.has(StartFrame.CRC) && device.has(StartFrame.CRC);
        marked = ours.has(StartFrame.MARKERS);
        this.ours = ours;
        relied.addAll(Basics.FPDUS);
        if (crc && !crcAskedByBoth) {
            relied.add(Basics.CRC_AGREED);
        }
        if (crc) {
            relied.addAll(Basics.CRCS);
        } else {
            relied.add(Basics.CRC_NOT_IN_USE);
        }
        if (marked) {
            relied.addAll(Basics.MARKERS);
        }
        if (device.has(StartFrame.MARKERS)) {
            relied.add(Basics.MARKERS_TAKEN_OUT);
        }
        out = new Framer(device.has(StartFrame.MARKERS), crc);
        in = new Deframer(marked);
        diagnosis = new FramingDiagnosis(marked, crc, device.bytes().length);
        if (this.device == Role.RESPONDER && patience.settleMillis() > 0) {
            wire.awaitAnything(patience.settleMillis());
        }
    }

    /** Names something to send that the program above the device answers, in case that more is wanted of it than a case asks for. */
    public void answers(Supplier<Segment> provocation) {
        this.provocation = provocation;
    }

    // ---- sending

    /** Sends one segment in one FPDU. */
    public void send(Segment segment) {
        send(segment, Flaw.NONE);
    }

    /** Sends one segment in one FPDU that has a fault. */
    public void send(Segment segment, Flaw flaw) {
        byte[] ulpdu = segment.bytes();
        sending(segment, flaw);
        wire.send(framer().frame(ulpdu, flaw), Described.line(ulpdu) + (flaw == Flaw.NONE ? "" : " [" + flaw + "]"));
    }

    private void sending(Segment segment, Flaw flaw) {
        if (sent) {
            relied.add(Basics.TOGETHER); // it may meet the one before in the device's buffer
        }
        sent = true;
        switch (flaw) {
            case CRC, CRC_SWAPPED, PAD_CRC -> {
                if (!crc) {
                    throw new Skip("needs a connection with CRCs");
                }
                relied.add(Basics.CRC_CHECKED);
            }
            case CRC_GARBAGE -> relied.add(Basics.CRC_NOT_IN_USE);
            default -> {}
        }
        if (segment.is(Opcode.WRITE) && segment.payload().length == 0) {
            relied.add(Basics.EMPTY_WRITE);
        }
        if (segment.is(Opcode.TERMINATE)) {
            relied.add(Basics.NOT_ANSWERED);
        }
    }

    /** Sends several segments, an FPDU each, in one write. */
    public void sendTogether(Segment... segments) {
        Octets octets = new Octets();
        StringBuilder note = new StringBuilder();
        relied.add(Basics.TOGETHER);
        for (Segment segment : segments) {
            sending(segment, Flaw.NONE);
            octets.add(framer().frame(segment.bytes()));
            note.append(note.length() == 0 ? "" : "; ").append(segment);
        }
        wire.send(octets.bytes(), note.toString());
    }

    /** The bytes of the FPDU that comes next, not sent: for cases that cut them. */
    public byte[] framed(Segment segment) {
        return framer().frame(segment.bytes());
    }

    /** The MSN of our next Send, and counts it. */
    public long nextSend() {
        return sendMsn++;
    }

    /** The MSN of our next Read Request or Atomic Request, and counts it; the case is skipped if the device takes none. */
    public long nextRead() {
        if (granted() == 0) {
            throw new Skip("needs a device that takes RDMA Reads and atomic operations: its IRD is 0");
        }
        return readBeyond();
    }

    /** The same for one that may be more than was agreed. */
    public long readBeyond() {
        return readMsn++;
    }

    /** The Reads that the device lets the tester have under way; 1 where no number was agreed. */
    public int granted() {
        return agreed() ? depths(theirs).ird() : 1;
    }

    /** Whether the device has said how many Reads it lets the tester have under way. */
    public boolean agreed() {
        return depths(theirs).ird() != Depths.UNSET;
    }

    /** The Reads that the device may have under way; 1 where no number was agreed. */
    public int asked() {
        int most = depths(theirs).ord();
        // A responder has said what it makes of the Request's IRD; an initiator has the Reply to keep.
        int limit = device == Role.INITIATOR ? depths(ours).ird() : Depths.UNSET;
        int asked = Math.min(most, limit);
        return asked == Depths.UNSET ? 1 : asked;
    }

    /** The case is skipped if the device issues no RDMA Reads and atomic operations. */
    public void needReads() {
        if (asked() == 0) {
            throw new Skip("needs a device that issues RDMA Reads and atomic operations: its ORD is 0");
        }
    }

    private static Depths depths(@Nullable StartFrame frame) {
        Depths depths = frame == null ? null : frame.depths();
        return depths == null ? NOT_AGREED : depths;
    }

    // ---- expecting

    /** The next FPDU, which the device owes; null if none comes. For one that comes late nothing is charged. */
    private @Nullable Fpdu owedFpdu() {
        long began = System.nanoTime();
        Fpdu fpdu = nextFpdu(patience.answerMillis(), true);
        if (fpdu == null && deframer().rest().length == 0) {
            lateIfComes(began);
        }
        return fpdu;
    }

    /** Waits some more for a device that has not said a thing: one that is only slow is not to be judged by what did not come. */
    private void lateIfComes(long began) {
        boolean came = wire.awaitAnything(patience.lateMillis()) && wire.held().length > 0;
        if (came) {
            double seconds = (System.nanoTime() - began) / 1e9;
            throw new Inconclusive(String.format(
                    Locale.ROOT,
                    "it answered after %.1f s: --timeout %d waits long enough",
                    seconds,
                    (int) Math.ceil(seconds) + 1));
        }
    }

    /** The next FPDU, or null if none came within {@code millis} or the stream ended. Checks its CRC, Markers and header. */
    public @Nullable Fpdu nextFpdu(long millis) {
        return nextFpdu(millis, false);
    }

    /** The same; if {@code owed}, within so long behind the bytes that came last. */
    private @Nullable Fpdu nextFpdu(long millis, boolean owed) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        boolean over = false;
        while (true) {
            if (take() > 0 && owed) {
                deadline = System.nanoTime() + millis * 1_000_000;
            }
            Fpdu fpdu = deframer().next();
            if (fpdu != null) {
                return seen(fpdu);
            }
            if (over) {
                if (deframer().rest().length > 0) {
                    checkFraming(true);
                    checkCrcField(deframer().rest());
                }
                return null;
            }
            long left = (deadline - System.nanoTime()) / 1_000_000;
            over = left <= 0 || wire.ended() || (!wire.awaitAnything(left) && System.nanoTime() >= deadline);
        }
    }

    private Fpdu seen(Fpdu fpdu) {
        seen.add(fpdu);
        // One that is right by chance may be the first of many that are not.
        checkFraming((!fpdu.crcGood() && crc) || fpdu.markers().stream().anyMatch(marker -> !marker.points()));
        Judge.wellFormed(fpdu, crc, marked);
        received(fpdu.segment());
        return fpdu;
    }

    /**
     * Complains about a rule of framing that the device breaks in every FPDU: which one it is, one FPDU alone may not tell.
     *
     * @param over that what came is all there is to tell by
     */
    private void checkFraming(boolean over) {
        FramingDiagnosis.Verdict verdict = diagnosis().verdict(false);
        if (over && verdict.state() == FramingDiagnosis.State.UNDECIDED) {
            wire.awaitAnything(patience.quietMillis());
            take();
            verdict = diagnosis().verdict(true);
        }
        if (over && marked && !verdict.requirement().isEmpty()) {
            provoke();
            verdict = diagnosis().verdict(true);
        }
        // Of several rules that explain it, the first.
        boolean explained = over && !verdict.requirement().isEmpty();
        if (verdict.state() == FramingDiagnosis.State.BROKEN || explained) {
            String what = "FPDUs framed as RFC 5044 §4 says";
            Deviation broken = Judge.framing(marked && !verdict.sure(), verdict.requirement(), what, verdict.what());
            if (verdict.fault() == FramingFault.CRC_ZERO && !crcAskedByBoth) {
                // Unless it leaves the CRC out always, this is why.
                broken = Deviation.from(Basics.CRC_AGREED, "CRCs, as one side asks for them", verdict.what())
                        .suspecting(List.of(Basics.CRC));
            }
            throw broken;
        }
    }

    /** What has come is looked at by all rules; returns how many bytes that were. */
    private int take() {
        byte[] come = wire.take(wire.held().length);
        deframer().add(come);
        diagnosis().add(come);
        return come.length;
    }

    /** One fault of Markers looks like another until two intervals were seen: has the device say more. */
    private void provoke() {
        for (int i = 0; i < MOST_PROVOKED && provocation != null && !wire.ended(); i++) {
            try {
                send(provocation.get());
            } catch (Skip e) {
                return; // it answers no more
            }
            if (!wire.awaitAnything(patience.quietMillis())) {
                return;
            }
            take();
        }
    }

    /** One FPDU that stops where its CRC should stand is enough to tell. */
    private void checkCrcField(byte[] rest) {
        if (wire.ended() || marked || rest.length < 2) {
            return;
        }
        int body = 2 + (int) Octets.number(rest, 0, 2);
        if (rest.length == body + (-body & 3)) {
            throw Deviation.from(
                    crc ? Basics.LAYOUT : Basics.CRC_FIELD,
                    "an FPDU with a CRC field",
                    rest.length + " bytes that end where it should stand: " + Octets.start(rest));
        }
    }

    private FramingDiagnosis diagnosis() {
        if (diagnosis == null) {
            throw new IllegalStateException("full operation has not begun");
        }
        return diagnosis;
    }

    /** What this segment has to keep to be understood. */
    private void received(Segment segment) {
        Opcode opcode = segment.opcode();
        if (opcode != null && opcode.tagged() != segment.tagged()) {
            // Then no other field stands where it should.
            throw Deviation.from(
                    Basics.T_AND_QN, "T=" + (opcode.tagged() ? 1 : 0) + " for a " + opcode.words(), segment);
        }
        listener.accept(segment);
        relied.addAll(Basics.SEGMENTS);
        relied.addAll(segment.tagged() ? Basics.TAGGED : Basics.UNTAGGED);
        if (opcode == Opcode.READ_REQUEST) {
            relied.add(Basics.READ_REQUEST);
        } else if (opcode == Opcode.READ_RESPONSE) {
            relied.add(Basics.READ_RESPONSE);
        } else if (opcode == Opcode.TERMINATE) {
            relied.addAll(Basics.TERMINATE);
        }
    }

    /** Each segment that comes is shown to the program above, too: it may say that it cannot do what it was asked for. */
    public void listen(Consumer<Segment> program) {
        listener = program;
    }

    /** The next segment; a deviation if none comes. */
    public Segment expectSegment(String what) {
        Fpdu fpdu = owedFpdu();
        if (fpdu == null) {
            throw new Deviation(what, came());
        }
        return fpdu.segment();
    }

    /** The next segment must be of this kind. */
    public Segment expect(Opcode opcode) {
        if (opcode == Opcode.TERMINATE) {
            relied.add(Basics.TERMINATES);
        }
        return expect(opcode.words(), s -> s.is(opcode));
    }

    /** The next segment must be as described. */
    public Segment expect(String what, Predicate<Segment> test) {
        Segment segment = expectSegment(what);
        if (!test.test(segment)) {
            throw new Deviation(what, segment);
        }
        return segment;
    }

    /** All segments of the next message, which must be of this kind, whole and in order; returns its payload. */
    public byte[] expectMessage(Opcode opcode) {
        Octets payload = new Octets();
        Segment first = expect(opcode);
        Segment before = first;
        Segment segment = first;
        while (true) {
            long offset = opcode.tagged() ? segment.to() - first.to() : segment.mo();
            if (offset != payload.size()) {
                boolean counted = PriorSegment.of(before).surplus(segment) > 0;
                throw Deviation.from(
                        counted ? Basics.ULPDU_LENGTH : opcode.tagged() ? Basics.TO : Basics.MO,
                        "the next segment of the " + opcode.words() + " at offset " + payload.size(),
                        segment);
            }
            boolean same = opcode.tagged()
                    ? segment.stag() == first.stag()
                    : segment.msn() == first.msn() && segment.queue() == first.queue();
            if (!same) {
                throw Deviation.from(
                        opcode.tagged() ? Basics.SAME_TAGGED : Basics.SAME_UNTAGGED,
                        "the same STag, QN and MSN in all segments of a message",
                        segment);
            }
            payload.add(segment.payload());
            if (payload.size() > MOST) {
                throw new Deviation(
                        "a " + opcode.words() + " of at most " + MOST + " bytes", payload.size() + " and more");
            }
            if (segment.last()) {
                return payload.bytes();
            }
            before = segment;
            segment = expectMore(opcode);
        }
    }

    /** The next segment of a message. A device of which none was the last yet may never say so. */
    private Segment expectMore(Opcode opcode) {
        try {
            return expect(opcode);
        } catch (Deviation e) {
            boolean never = seen.all().stream().noneMatch(f -> f.segment().last());
            throw never && e.requirement().isEmpty() && !wire.ended() && wire.held().length == 0
                    ? Deviation.from(Basics.LAST, "L=1 in the last segment of a " + opcode.words(), "L=0")
                    : e;
        }
    }

    /** The next segment must be a Terminate with one of these causes, in the notation {@code 0xLTCC}. */
    public Terminated expectTerminate(int... causes) {
        String what = Judge.words(causes);
        relied.add(Basics.TERMINATES);
        boolean wrongCrc = Arrays.stream(causes).anyMatch(cause -> cause == WRONG_CRC);
        if (wrongCrc) {
            relied.add(Basics.TERMINATE_AFTER_CRC);
        }
        Fpdu fpdu = owedFpdu();
        if (fpdu != null) {
            return terminatedBy(fpdu.segment(), causes);
        }
        if (wrongCrc && wire.ended() && !unread()) {
            // It has seen the error, and ends without a word.
            throw Deviation.from(Basics.TERMINATE_AFTER_CRC, what, came()).suspecting(List.of(Basics.TERMINATES));
        }
        throw new Deviation(what, came());
    }

    /** This segment must be a Terminate with one of these causes. */
    public Terminated terminatedBy(Segment segment, int... causes) {
        return Judge.terminated(segment, patience.swappedTerminates(), causes);
    }

    /** The device ends its direction, with FIN or RST, and sends no byte before. */
    public void expectEnd() {
        expectEnd(patience.closeMillis());
    }

    /** The same, within so long: for ends that only a timer of the device brings. */
    public void expectEnd(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (!wire.ended() && System.nanoTime() < deadline && wire.held().length == 0) {
            wire.awaitAnything((deadline - System.nanoTime()) / 1_000_000 + 1);
        }
        if (!wire.ended() || unread()) {
            boolean terminated = seen.all().stream()
                    .anyMatch(f -> Segment.whole(f.ulpdu()) && f.segment().is(Opcode.TERMINATE));
            if (terminated && unread()) {
                throw Deviation.from(Basics.LAST_WORD, "nothing behind a Terminate", came());
            }
            relied.add(Basics.ENDS);
            throw new Deviation("the end of the connection, and no more bytes before", came());
        }
    }

    /** As {@link #expectEnd()}, and at once: not only because the device has waited long enough. */
    public void expectEndAtOnce() {
        long millis = patience.atOnceMillis();
        long before = wire.millis();
        expectEnd();
        long took = wire.millis() - before;
        if (took >= millis) {
            throw new Deviation("the end of the connection within " + millis + " ms", "it after " + took + " ms");
        }
    }

    /** The device says nothing for a while and keeps the connection. */
    public void expectSilence() {
        expectSilence(patience.quietMillis());
    }

    /** Reads nothing for a while: the device goes on as far as TCP lets it. */
    public void pause() {
        wire.flush();
        try {
            Thread.sleep(patience.quietMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Inconclusive("interrupted");
        }
    }

    /** The device says nothing for so long and keeps the connection. */
    public void expectSilence(long millis) {
        String before = "nothing for " + millis + " ms";
        // What came along with an earlier answer was not awaited either.
        if (theirs == null
                && wire.held().length == 0
                && (wire.ended() || wire.awaitAnything(1))
                && wire.held().length == 0) {
            throw new Inconclusive("the device ended the connection before anything was said");
        }
        if (wire.ended() || unread()) {
            throw new Deviation(before, came());
        }
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < deadline) {
            if (wire.awaitAnything((deadline - System.nanoTime()) / 1_000_000 + 1)) {
                throw new Deviation(before, came());
            }
        }
    }

    /** Something has come and was not taken. */
    private boolean unread() {
        return wire.held().length > 0 || (in != null && in.rest().length > 0);
    }

    /** What has come and was not taken, in words. */
    public String came() {
        byte[] octets = in == null
                ? wire.held()
                : new Octets().add(in.rest()).add(wire.held()).bytes();
        String end = wire.wasReset() ? "a reset (RST)" : wire.ended() ? "the end of the stream (FIN)" : "";
        if (octets.length == 0) {
            return end.isEmpty() ? "nothing within the time allowed" : end;
        }
        return octets.length + " bytes" + (end.isEmpty() ? "" : " and " + end) + ": " + Octets.start(octets);
    }

    // ---- the rest

    public Wire wire() {
        return wire;
    }

    public Role device() {
        return device;
    }

    public Patience patience() {
        return patience;
    }

    /** The device's Request or Reply; complains before it came. */
    public StartFrame theirs() {
        if (theirs == null) {
            throw new IllegalStateException("the device's frame has not come yet");
        }
        return theirs;
    }

    /** The device's Request or Reply, good or bad; null before it came. */
    public @Nullable StartFrame heard() {
        return theirs;
    }

    /** The device has said something. */
    public boolean said() {
        return wire.events().stream().anyMatch(e -> e.kind() == Event.Kind.RECEIVED);
    }

    /** How long the device took to say its first bytes, from what was done before; 0 if it said nothing. */
    public long answeredMillis() {
        long before = 0;
        for (Event event : wire.events()) {
            if (event.kind() == Event.Kind.RECEIVED) {
                return (event.nanos() - before) / 1_000_000;
            }
            before = event.nanos();
        }
        return 0;
    }

    /** CRCs are in use. */
    public boolean crc() {
        return crc;
    }

    /** Requirements that the device must keep for this conversation to mean what it should. */
    public Set<String> relied() {
        return relied;
    }

    /** All FPDUs that came; of very many the last. */
    public List<Fpdu> seen() {
        return seen.all();
    }

    public Framer framer() {
        if (out == null) {
            throw new IllegalStateException("full operation has not begun");
        }
        return out;
    }

    private Deframer deframer() {
        if (in == null) {
            throw new IllegalStateException("full operation has not begun");
        }
        return in;
    }

    @Override
    public void close() {
        wire.close();
    }
}
