package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Deframer;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The FPDUs that a device sends in full operation. The intake takes FPDUs out of the stream, checks their framing, and
 * keeps them for the case. If they exceed a limit of memory, it keeps the latest.
 */
final class Intake {
    /** Number of provoked answers that together have Markers enough. */
    private static final int MOST_PROVOKED = 24;

    /** Limit of the bytes of kept FPDUs. */
    private static final long KEPT = 16 << 20;

    /** Memory of an FPDU besides its bytes. */
    private static final int OVERHEAD = 256;

    private final Wire wire;
    private final Patience patience;
    private final boolean crcAskedByBoth;
    private final boolean crc;
    private final boolean marked;
    private final Deframer deframer;
    private final FramingDiagnosis diagnosis;
    private final BooleanSupplier provocation;
    private final Deque<Fpdu> seen = new ArrayDeque<>();
    private long kept;

    /**
     * An intake for full operation, which begins with these frames.
     *
     * @param ours the Request or Reply of the tester
     * @param theirs the Request or Reply of the device; the FPDUs of the device begin after it
     * @param provocation makes the device send something; false if that is impossible
     */
    Intake(Wire wire, Patience patience, StartFrame ours, StartFrame theirs, BooleanSupplier provocation) {
        this.wire = wire;
        this.patience = patience;
        this.provocation = provocation;
        crcAskedByBoth = ours.has(StartFrame.CRC) && theirs.has(StartFrame.CRC);
        crc = ours.has(StartFrame.CRC) || theirs.has(StartFrame.CRC);
        marked = ours.has(StartFrame.MARKERS);
        deframer = new Deframer(marked);
        diagnosis = new FramingDiagnosis(marked, crc, theirs.bytes().length);
    }

    /**
     * Returns the next FPDU, after a check of its CRC, Markers and header; null if none comes within {@code millis} or
     * the stream ends.
     *
     * @param owed whether {@code millis} begin anew with each byte that comes
     */
    @Nullable
    Fpdu next(long millis, boolean owed) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        boolean over = false;
        while (true) {
            if (take() > 0 && owed) {
                deadline = System.nanoTime() + millis * 1_000_000;
            }
            Fpdu fpdu = deframer.next();
            if (fpdu != null) {
                return judged(fpdu);
            }
            if (over) {
                if (deframer.rest().length > 0) {
                    checkFraming(true);
                    checkCrcField(deframer.rest());
                }
                return null;
            }
            long left = (deadline - System.nanoTime()) / 1_000_000;
            over = left <= 0 || wire.ended() || (!wire.awaitAnything(left) && System.nanoTime() >= deadline);
        }
    }

    private Fpdu judged(Fpdu fpdu) {
        seen.add(fpdu);
        kept += fpdu.octets().length + OVERHEAD;
        while (kept > KEPT) {
            kept -= seen.remove().octets().length + OVERHEAD;
        }
        // An FPDU that is right by chance may be the first of many wrong ones.
        checkFraming((!fpdu.crcGood() && crc) || fpdu.markers().stream().anyMatch(marker -> !marker.points()));
        Judge.wellFormed(fpdu, crc, marked);
        return fpdu;
    }

    /**
     * Throws a deviation if the device breaks a rule of framing in every FPDU. A single FPDU may not show which rule is
     * broken.
     *
     * @param over whether no more bytes are to come that could show the rule
     */
    private void checkFraming(boolean over) {
        FramingDiagnosis.Verdict verdict = diagnosis.verdict(false);
        if (over && verdict.state() == FramingDiagnosis.State.UNDECIDED) {
            wire.awaitAnything(patience.quietMillis());
            take();
            verdict = diagnosis.verdict(true);
        }
        if (over && marked && !verdict.requirement().isEmpty()) {
            provoke();
            verdict = diagnosis.verdict(true);
        }
        // If several rules explain the bytes, the first rule counts.
        boolean explained = over && !verdict.requirement().isEmpty();
        if (verdict.state() == FramingDiagnosis.State.BROKEN || explained) {
            String what = "FPDUs framed as RFC 5044 §4 says";
            Deviation broken = Judge.framing(marked && !verdict.sure(), verdict.requirement(), what, verdict.what());
            if (verdict.fault() == FramingFault.CRC_ZERO && !crcAskedByBoth) {
                // A device that uses CRCs in other cases leaves them out here because only one side asked for them.
                broken = Deviation.from(Basics.CRC_AGREED, "CRCs, as one side asks for them", verdict.what())
                        .suspecting(List.of(Basics.CRC));
            }
            throw broken;
        }
    }

    /** Passes the received bytes to the deframer and to the diagnosis; returns their number. */
    private int take() {
        byte[] come = wire.take(wire.held().length);
        deframer.add(come);
        diagnosis.add(come);
        return come.length;
    }

    /** Makes the device send more: two faults of Markers look alike until two intervals have been seen. */
    private void provoke() {
        for (int i = 0; i < MOST_PROVOKED && !wire.ended() && provocation.getAsBoolean(); i++) {
            if (!wire.awaitAnything(patience.quietMillis())) {
                return;
            }
            take();
        }
    }

    /** Detects a device that leaves out the CRC field: one FPDU that stops where the field should begin is enough. */
    private void checkCrcField(byte[] rest) {
        if (wire.ended() || marked || rest.length < 2) {
            return;
        }
        int body = 2 + (int) Octets.number(rest, 0, 2);
        if (rest.length == body + (-body & 3)) {
            throw Deviation.from(
                    crc ? Basics.LAYOUT : Basics.CRC_FIELD,
                    "an FPDU with a CRC field",
                    rest.length + " bytes that end where the CRC field should begin: " + Octets.start(rest));
        }
    }

    /** Received bytes that are no whole FPDU yet. */
    byte[] rest() {
        return deframer.rest();
    }

    /** All received FPDUs, or the latest if they are too many to keep. */
    List<Fpdu> seen() {
        return List.copyOf(seen);
    }
}
