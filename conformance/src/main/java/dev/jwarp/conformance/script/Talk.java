package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import dev.jwarp.conformance.wire.WireFields;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with a device over one connection, with the vocabulary of the cases. Start-up comes first, then
 * FPDUs as agreed. Each {@code expect…} throws a {@link Deviation} that names the expected and the received bytes.
 *
 * <p>Some rules are checked in every case: an FPDU with a wrong CRC while CRCs are in use, a wrong Marker, or a
 * segment shorter than its header is a deviation.
 */
public final class Talk implements AutoCloseable {
    /** Limit of the bytes of a received message. No case asks for more. */
    private static final int MOST = 16 << 20;

    /** The cause of a Terminate after a wrong CRC (RFC 5044 §8), as {@code 0xLTCC}. */
    private static final int WRONG_CRC = 0x2002;

    private static final Depths NOT_AGREED = Depths.clientServer(Depths.UNSET, Depths.UNSET);

    private final Wire wire;
    private final Role device;
    private final Patience patience;

    private @Nullable StartFrame ours;
    private @Nullable StartFrame theirs;
    private @Nullable Framer out;
    private @Nullable Intake in;
    private boolean crc;
    private long sendMsn = 1;
    private long readMsn = 1;
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
    /** Changes how bytes are divided into writes from now on. The device must accept a stream however it is divided. */
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

    /** Waits for the Request or Reply of the device, and checks the Key and the length. */
    public StartFrame expectFrame() {
        String name = device == Role.INITIATOR ? "MPA Request" : "MPA Reply";
        relied.add(Basics.firstWord(device));
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
            throw Deviation.from(Basics.firstWord(device), "the Key of an " + name, Octets.hex(head));
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
        theirs = frame;
        Judge.wellFormed(frame, name, wire.held());
        return frame;
    }

    /**
     * Exchanges both frames: that of the tester goes first or second, as the role of the device demands.
     * Returns the frame of the device, whether it accepts or not.
     */
    public StartFrame exchange(StartFrame ours) {
        if (device == Role.INITIATOR) {
            StartFrame request = expectFrame();
            send(ours);
            return request;
        }
        send(ours);
        boolean enhanced = ours.has(StartFrame.ENHANCED);
        relied.addAll(enhanced ? List.of(Basics.ENHANCED_REPLY, Basics.WORD) : List.of(Basics.PLAIN_REPLY));
        return expectFrame();
    }

    /** Exchanges both frames and begins full operation as they agree. A Reply that rejects is a deviation. */
    public StartFrame open(StartFrame ours) {
        StartFrame frame = exchange(ours);
        if (device == Role.RESPONDER && frame.has(StartFrame.REJECT)) {
            throw new Deviation("an MPA Reply that accepts", "a Reply with R=1");
        }
        begin(ours, frame);
        return frame;
    }

    /** Exchanges both frames: that of the tester is its offer, changed by the case. */
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
            // RFC 6581 §9.2: in peer-to-peer mode the first message of the device is empty and only says that the
            // device is ready.
            Segment ready = expectSegment("a Ready-to-Receive message");
            if (ready.is(Opcode.READ_REQUEST)) {
                send(Segment.response(ready, new byte[0]));
            }
        }
        return request;
    }

    /** Begins full operation, as these two frames agree (RFC 5044 §7.1.1). */
    public void begin(StartFrame ours, StartFrame device) {
        crc = ours.has(StartFrame.CRC) || device.has(StartFrame.CRC);
        this.ours = ours;
        relied.addAll(Basics.of(ours, device));
        out = new Framer(device.has(StartFrame.MARKERS), crc);
        in = new Intake(wire, patience, ours, device, this::provoke);
        if (this.device == Role.RESPONDER && patience.settleMillis() > 0) {
            wire.awaitAnything(patience.settleMillis());
        }
    }

    /** Sets a segment that makes the program above answer, for checks that need more FPDUs than the case does. */
    public void answers(Supplier<Segment> provocation) {
        this.provocation = provocation;
    }

    // ---- sending

    /** Sends one segment in one FPDU. */
    public void send(Segment segment) {
        send(segment, Flaw.NONE);
    }

    /** Sends one segment in one FPDU with a fault. */
    public void send(Segment segment, Flaw flaw) {
        byte[] ulpdu = segment.bytes();
        sending(segment, flaw);
        wire.send(framer().frame(ulpdu, flaw), WireFields.line(ulpdu) + (flaw == Flaw.NONE ? "" : " [" + flaw + "]"));
    }

    private void sending(Segment segment, Flaw flaw) {
        if (sent) {
            relied.add(Basics.TOGETHER); // the device's buffer may hold the previous segment, too
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

    /** Sends one of these Ready-to-Receive messages (RFC 6581 §9.2), and returns it. */
    public Segment sendReady(int rtr) {
        Segment ready = (rtr & Depths.WRITE) != 0
                ? Segment.write(0, 0)
                : (rtr & Depths.READ) != 0 ? Segment.readRequest(nextRead(), 1, 0, 0, 0, 0) : Segment.send(nextSend());
        send(ready);
        return ready;
    }

    /** Sends several segments in one write, an FPDU each. */
    public void sendTogether(Segment... segments) {
        Octets octets = new Octets();
        relied.add(Basics.TOGETHER);
        for (Segment segment : segments) {
            sending(segment, Flaw.NONE);
            octets.add(framed(segment));
        }
        wire.send(octets.bytes(), Arrays.stream(segments).map(Segment::toString).collect(Collectors.joining("; ")));
    }

    /** The bytes of the next FPDU, without sending them: for cases that divide the FPDU. */
    public byte[] framed(Segment segment) {
        return framer().frame(segment.bytes());
    }

    /** Counts and returns the MSN of the next Send of the tester. */
    public long nextSend() {
        return sendMsn++;
    }

    /** Counts and returns the MSN of the next Read or Atomic Request; skips the case if the device takes none. */
    public long nextRead() {
        if (granted() == 0) {
            throw new Skip("needs a device that takes RDMA Reads and atomic operations: its IRD is 0");
        }
        return readBeyond();
    }

    /** The same, but the request may exceed the agreed number. */
    public long readBeyond() {
        return readMsn++;
    }

    /** The number of Reads that the tester may have under way; 1 if none was agreed. */
    public int granted() {
        return agreed() ? depths(theirs).ird() : 1;
    }

    /** Whether the device has stated how many Reads the tester may have under way. */
    public boolean agreed() {
        return depths(theirs).ird() != Depths.UNSET;
    }

    /** The number of Reads that the device may have under way; 1 if none was agreed. */
    public int asked() {
        int most = depths(theirs).ord();
        // The ORD of a responder already respects the Request's IRD. An initiator has to respect the IRD of the Reply.
        int limit = device == Role.INITIATOR ? depths(ours).ird() : Depths.UNSET;
        int asked = Math.min(most, limit);
        return asked == Depths.UNSET ? 1 : asked;
    }

    /** Skips the case if the device issues no RDMA Reads and no atomic operations. */
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

    /** The next FPDU, which the device must send; null if none comes. A late FPDU makes the case inconclusive. */
    private @Nullable Fpdu owedFpdu() {
        long began = System.nanoTime();
        Fpdu fpdu = nextFpdu(patience.answerMillis(), true);
        if (fpdu == null && begun(in).rest().length == 0) {
            lateIfComes(began);
        }
        return fpdu;
    }

    /** Waits longer for a device that has sent nothing: a slow device is not judged by missing bytes. */
    private void lateIfComes(long began) {
        if (wire.awaitAnything(patience.lateMillis()) && wire.held().length > 0) {
            double seconds = (System.nanoTime() - began) / 1e9;
            throw new Inconclusive(String.format(
                    Locale.ROOT,
                    "the device answered after %.1f s: set --timeout to %d or more",
                    seconds,
                    (int) Math.ceil(seconds) + 1));
        }
    }

    /** The next FPDU, checked; null if none comes within {@code millis} or the stream ends. */
    public @Nullable Fpdu nextFpdu(long millis) {
        return nextFpdu(millis, false);
    }

    private @Nullable Fpdu nextFpdu(long millis, boolean owed) {
        Fpdu fpdu = begun(in).next(millis, owed);
        if (fpdu != null) {
            received(fpdu.segment());
        }
        return fpdu;
    }

    /** Makes the program above the device answer; false if it no longer answers. */
    private boolean provoke() {
        try {
            if (provocation != null) {
                send(provocation.get());
            }
            return provocation != null;
        } catch (Skip e) {
            return false;
        }
    }

    /** Checks the fields without which a segment cannot be parsed. */
    private void received(Segment segment) {
        Opcode opcode = segment.opcode();
        if (opcode != null && opcode.tagged() != segment.tagged()) {
            // With a wrong T bit all other fields are at other places.
            throw Deviation.from(
                    Basics.T_AND_QN, "T=" + (opcode.tagged() ? 1 : 0) + " for a " + opcode.words(), segment);
        }
        listener.accept(segment);
        relied.addAll(Basics.of(segment));
    }

    /** Passes each received segment to the program, too, which may report that it cannot do what it was asked. */
    public void listen(Consumer<Segment> program) {
        listener = program;
    }

    /** The next segment; {@code what} describes it for a deviation if none comes. */
    public Segment expectSegment(String what) {
        return expectSegment(new Expectation.Other(what));
    }

    /** The same for an expectation that a script may be able to judge without the case. */
    public Segment expectSegment(Expectation what) {
        Fpdu fpdu = owedFpdu();
        if (fpdu == null) {
            throw new Deviation(what, came());
        }
        return fpdu.segment();
    }

    /** The next segment, which must be of this opcode. */
    public Segment expect(Opcode opcode) {
        if (opcode == Opcode.TERMINATE) {
            relied.add(Basics.TERMINATES);
        }
        return expect(new Expectation.Message(opcode), s -> s.is(opcode));
    }

    /** The next segment, which must pass the test. */
    public Segment expect(String what, Predicate<Segment> test) {
        return expect(new Expectation.Other(what), test);
    }

    private Segment expect(Expectation what, Predicate<Segment> test) {
        Segment segment = expectSegment(what);
        if (!test.test(segment)) {
            throw new Deviation(what, segment);
        }
        return segment;
    }

    /** The payload of the next message, which must have this opcode and arrive whole and in order. */
    public byte[] expectMessage(Opcode opcode) {
        Octets payload = new Octets();
        Segment first = expect(opcode);
        Segment before = first;
        Segment segment = first;
        while (true) {
            Judge.continued(opcode, first, before, segment, payload.size());
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

    /** The next segment of a message. A device that has sent no segment with L=1 yet may never set the L bit. */
    private Segment expectMore(Opcode opcode) {
        try {
            return expect(opcode);
        } catch (Deviation e) {
            boolean never = seen().stream().noneMatch(f -> f.segment().last());
            throw never && e.requirement().isEmpty() && !wire.ended() && wire.held().length == 0
                    ? Deviation.from(Basics.LAST, "L=1 in the last segment of a " + opcode.words(), "L=0")
                    : e;
        }
    }

    /** The next segment, which must be a Terminate with one of these causes, in the notation {@code 0xLTCC}. */
    public TerminateFields expectTerminate(int... causes) {
        Expectation what = new Expectation.Terminate(causes);
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
            // The device has detected the error and ends without a Terminate.
            throw Deviation.from(Basics.TERMINATE_AFTER_CRC, what, came()).suspecting(List.of(Basics.TERMINATES));
        }
        throw new Deviation(what, came());
    }

    /** The device must refuse what it got: with a Terminate of one of these causes, and then the end. */
    public TerminateFields expectRefusal(int... causes) {
        TerminateFields terminated = expectTerminate(causes);
        expectEnd();
        return terminated;
    }

    /** The device must refuse this segment. */
    public TerminateFields refuses(Segment segment, int... causes) {
        send(segment);
        return expectRefusal(causes);
    }

    /** Checks that a segment is a Terminate with one of these causes. */
    public TerminateFields terminatedBy(Segment segment, int... causes) {
        return Judge.terminated(segment, patience.swappedTerminates(), causes);
    }

    /** The device must end its direction, with FIN or RST, and send no byte before it. */
    public void expectEnd() {
        expectEnd(patience.closeMillis());
    }

    /** The same within so many milliseconds, for ends that only a timer of the device causes. */
    public void expectEnd(long millis) {
        if (wire.held().length == 0) {
            wire.awaitAnything(millis);
        }
        if (!wire.ended() || unread()) {
            boolean terminated = seen().stream()
                    .anyMatch(f -> Segment.whole(f.ulpdu()) && f.segment().is(Opcode.TERMINATE));
            if (terminated && unread()) {
                throw Deviation.from(Basics.LAST_WORD, "nothing behind a Terminate", came());
            }
            relied.add(Basics.ENDS);
            throw new Deviation(Expectation.END, came());
        }
    }

    /** The same, and so soon that no timer of the device can be the cause. */
    public void expectEndAtOnce() {
        long millis = patience.atOnceMillis();
        long before = wire.millis();
        expectEnd();
        long took = wire.millis() - before;
        if (took >= millis) {
            throw new Deviation(new Expectation.End(millis), "it after " + took + " ms");
        }
    }

    /** The device must send nothing for a while and keep the connection. */
    public void expectSilence() {
        expectSilence(patience.quietMillis());
    }

    /** Reads nothing for a while. The device may send as much as TCP lets it. */
    public void pause() {
        wire.pause(patience.quietMillis());
    }

    /** The device must send nothing for so many milliseconds and keep the connection. */
    public void expectSilence(long millis) {
        String before = "nothing for " + millis + " ms";
        // Bytes that arrived together with an earlier answer break the silence, too.
        if (theirs == null
                && wire.held().length == 0
                && (wire.ended() || wire.awaitAnything(1))
                && wire.held().length == 0) {
            throw new Inconclusive("the device ended the connection before it sent anything");
        }
        if (wire.ended() || unread()) {
            throw new Deviation(before, came());
        }
        if (wire.awaitAnything(millis)) {
            throw new Deviation(before, came());
        }
    }

    private boolean unread() {
        return wire.held().length > 0 || (in != null && in.rest().length > 0);
    }

    /** Describes the received bytes that are still unread. */
    public String came() {
        byte[] octets = in == null
                ? wire.held()
                : new Octets().add(in.rest()).add(wire.held()).bytes();
        String end = wire.wasReset() ? "a reset (RST)" : wire.ended() ? "the end of the stream (FIN)" : "";
        if (octets.length == 0) {
            return end.isEmpty() ? Deviation.NOTHING : end;
        }
        return octets.length + " bytes" + (end.isEmpty() ? "" : " and " + end) + ": " + Octets.start(octets);
    }

    public Wire wire() {
        return wire;
    }

    public Role device() {
        return device;
    }

    public Patience patience() {
        return patience;
    }

    /**
     * The Request or Reply of the device.
     *
     * @throws IllegalStateException before it came
     */
    public StartFrame theirs() {
        if (theirs == null) {
            throw new IllegalStateException("the device's frame has not come yet");
        }
        return theirs;
    }

    /** The Request or Reply of the device, right or wrong; null if none has come. */
    public @Nullable StartFrame heard() {
        return theirs;
    }

    /** Whether CRCs are in use. */
    public boolean crc() {
        return crc;
    }

    /** Requirements that this conversation relies on: if the device breaks one, it does not show what it should. */
    public Set<String> relied() {
        return relied;
    }

    /** All received FPDUs, or the latest if they are too many to keep. */
    public List<Fpdu> seen() {
        return in == null ? List.of() : in.seen();
    }

    public Framer framer() {
        return begun(out);
    }

    private static <T> T begun(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("full operation has not begun");
        }
        return part;
    }

    @Override
    public void close() {
        wire.close();
    }
}
