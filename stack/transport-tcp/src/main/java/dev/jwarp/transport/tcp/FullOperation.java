package dev.jwarp.transport.tcp;

import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.FpduAssembler;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.MpaError;
import dev.jwarp.mpa.SegmentRoom;
import dev.jwarp.mpa.UlpduSink;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Full operation: FPDUs in, FPDUs out (RFC 5044 §4 to §6), and the orderly end (RFC 5044 §7.2, RFC 5041 §6.2.1).
 *
 * <p>Out: polls the layer above for ULPDUs until a batch is full or there are no more; one write sends the batch. In:
 * divides the received bytes into FPDUs, verifies them and passes their ULPDUs to the layer above. Allocates nothing.
 */
final class FullOperation extends Phase implements UlpduWriter, UlpduSink, ShareHolder {
    private final UpperLayer upper;
    private final FpduAssembler assembler;
    private final ReassemblyPool.Loan reassembly;
    private final Tally<TcpCounter> counters;
    private final Output out;
    private final ReadTurn turn;
    private final SegmentRoom segment;
    private final boolean crc;
    private final CrcField crcField;

    /** Whether CRCs are in use only because this side requested them; the peer's frame had C=0. */
    private final boolean crcUnwanted;

    private final boolean sendMarkers;
    private final boolean oneFpduPerWrite;

    /** Octets sent since the start of full operation; Markers are at its multiples of 512. */
    private long sentOffset;

    /** The start of the last FPDU. */
    private long fpduOffset;

    /**
     * Whether the number of TCP's unsent octets must be queried before an FPDU is sized, because new octets follow
     * them.
     */
    private boolean segmentUnknown;

    /** Whether TCP holds a part of a segment. The batch then ends with this segment, so that TCP gets the rest soon. */
    private boolean fillsSegment;

    /** Assumed size of a TCP segment, octets; 0 if the user has set the size. */
    private final int segmentWanted;

    /** Whether all queries to TCP have succeeded; after a failed query there is no other. */
    private boolean tcpTells = true;

    /** RFC 5044 §7.1.2 (4), MPA-7.1.2-6: a responder sends nothing before it has received and validated an FPDU. */
    private boolean outputHeld;

    /** Peer-to-peer responder: set until the ready-to-receive message arrives. */
    private @Nullable AwaitingReadyToReceive awaiting;

    private LlpFailure startFailure = LlpFailure.CLOSED_BY_PEER;
    private boolean closeRequested;
    private boolean inputClosed;
    private boolean outputClosed;
    private long deadline = MpaEngine.NEVER;

    /** When half of the time limit of a half received FPDU has passed; then, when the limit is reached. */
    private long fpduDeadline = MpaEngine.NEVER;

    private boolean fpduLate;

    /** When to ask for a send buffer again, if none was available. */
    private long batchRetry = MpaEngine.NEVER;

    /** FPDUs in the batch that is being filled. */
    private int fpdus;

    private int octets;

    /** The time of the current call, for the calls that it causes. */
    private long now;

    /** The handler to notify of the connection, and the agreement. */
    private record AwaitingReadyToReceive(ConnectionHandler handler, Agreement agreement) {}

    FullOperation(MpaEngine engine, Agreement agreement, UpperLayer upper) {
        super(engine);
        crc = agreement.crc();
        sendMarkers = agreement.sendMarkers();
        this.upper = upper;
        MpaEngineFactory factory = engine.factory();
        counters = factory.ownCounters();
        out = engine.out();
        turn = engine.turn();
        turn.weight(upper.weight());
        reassembly = factory.reassembly().join(engine.source(), this);
        crcField = factory.settings().crcField();
        assembler = crcField.assembler(agreement, reassembly);
        crcUnwanted = crc && !agreement.peerFrame().crc();
        int chosen = (int) factory.settings().number(TcpSetting.EMSS);
        int emss = chosen == 0 ? engine.driver().effectiveMaximumSegmentSize() : chosen;
        segmentWanted = chosen == 0 ? emss : 0;
        segment = new SegmentRoom(emss, sendMarkers);
        if (!crcField.isSent(crc, sendMarkers)) {
            segment.cutNothing(); // FPDUs without the field have other lengths than SegmentRoom computes
        }
        oneFpduPerWrite = factory.isTapped() && sendMarkers;
        // MPA-7.1.2-6: only an initiator may send first.
        outputHeld = !agreement.initiator();
    }

    /**
     * Responder, peer-to-peer: notifies {@code handler} of the connection and the agreement when the first FPDU has
     * arrived.
     */
    void awaitReadyToReceive(ConnectionHandler handler, Agreement agreement, long deadlineNanos) {
        awaiting = new AwaitingReadyToReceive(handler, agreement);
        deadline = deadlineNanos;
    }

    // ---- in

    @Override
    void receive(ByteBuffer in, long nowNanos) {
        now = nowNanos;
        if (outputClosed || assembler.error() != null) {
            // RFC 5044 §8, MPA-8-3: nothing is delivered after an error, nor after our end.
            in.position(in.limit());
            return;
        }
        reassembly.at(nowNanos);
        try {
            assembler.receive(in, this);
        } catch (ReassemblyPool.ExhaustedException e) {
            engine.factory().counters().countShared(TcpCounter.REASSEMBLY_EXHAUSTED);
            finish(LlpEnd.ABORTED, Ending.ABORT);
            return;
        }
        counters.add(TcpCounter.ASSEMBLED, assembler.takeAssembled());
        fpduLate = false;
        // DDP-6.2-1: between two FPDUs the peer has no time limit.
        if (assembler.atBoundary()) {
            fpduDeadline = MpaEngine.NEVER;
        } else {
            fpduDeadline = nowNanos + engine.factory().fpduTimeout() / 2;
            reassembly.moved(nowNanos);
        }
        MpaError error = assembler.error();
        if (error != null) {
            onStreamError(error);
        }
    }

    /**
     * Another connection needs the memory, and the half received FPDU of this connection has made the least progress.
     */
    @Override
    public void takeBack(long nowNanos) {
        engine.factory().counters().countShared(TcpCounter.REASSEMBLY_TAKEN_BACK);
        assembler.close();
        engine.abort();
    }

    @Override
    public boolean onUlpdu(ByteBuffer buffer, int offset, int length) {
        turn.fpdu();
        if (outputHeld) {
            onFirstFpdu();
        }
        upper.onUlpdu(buffer, offset, length, now);
        return !engine.isAborting();
    }

    /** The contents do not matter: CRC and Markers are correct, so MPA has validated the FPDU. */
    private void onFirstFpdu() {
        outputHeld = false;
        AwaitingReadyToReceive told = awaiting;
        if (told != null) {
            awaiting = null;
            deadline = MpaEngine.NEVER;
            if (told.agreement().rtrTypes().isEmpty()) {
                // RFC 6581 §9.2: no message in common, so this FPDU is the Terminate that reports it.
                engine.factory().counters().countShared(TcpCounter.NO_AGREEMENT);
                told.handler()
                        .onFailed(
                                engine.connection(),
                                LlpFailure.NO_AGREEMENT,
                                engine.peer() + " and this side have no ready-to-receive message in common");
            } else {
                tellEstablished(told.handler(), told.agreement());
            }
        }
    }

    /**
     * RFC 5044 §8, MPA-8-5: an error is reported to the layer above, which ends the connection; MPA itself must not end
     * it.
     */
    private void onStreamError(MpaError error) {
        TcpCounter counter = error == MpaError.CRC ? TcpCounter.CRC_MISMATCH : TcpCounter.MARKER_MISMATCH;
        engine.factory().counters().countShared(counter);
        TerminateCode code = error == MpaError.CRC ? TerminateCode.MPA_CRC : TerminateCode.MPA_MARKER;
        if (error == MpaError.CRC && crcUnwanted) {
            upper.advise(unwantedCrcSentence());
        }
        // RFC 5044 §7.1.2 (4), MPA-7.1.2-7: if the first FPDU fails, the responder has validated none and may send
        // none.
        upper.onLlpError(code, !outputHeld, now);
    }

    /** RFC 5044 §7.1.1, MPA-7.1.1-7: one C=1 puts CRCs in use in both directions; some peers ignore this rule. */
    private String unwantedCrcSentence() {
        return "The start-up frame of " + engine.peer()
                + " had C=0 and that of this side C=1, which asks both for CRCs (RFC 5044 §7.1.1)"
                + (assembler.refusedCrc() == 0 ? ", but the peer sent 0 in the CRC field" : "")
                + ". If it makes no CRCs, set " + TcpSetting.CRC.key()
                + "=off (--crc off); if it leaves the field out, also "
                + TcpSetting.CRC_FIELD.key() + ".";
    }

    @Override
    void onInputClosed(long nowNanos) {
        now = nowNanos;
        if (inputClosed) {
            return;
        }
        inputClosed = true;
        if (outputClosed) {
            finish(LlpEnd.GRACEFUL, Ending.CLOSE);
        } else if (assembler.error() == null && !assembler.atBoundary()) {
            engine.factory().counters().countShared(TcpCounter.TRUNCATED); // RFC 5044 §8, MPA-8-4: a lost connection
            finish(LlpEnd.TRUNCATED, Ending.CLOSE);
        } else if (awaiting != null) {
            finish(LlpEnd.GRACEFUL, Ending.CLOSE);
        } else {
            upper.onPeerClosed(nowNanos); // RFC 5044 §7.2, MPA-7.2-1
            if (outputHeld && assembler.error() == null && !engine.isAborting()) {
                // RFC 5044 §7.1.2 (4): the FPDU that our output waits for cannot arrive any more.
                finish(LlpEnd.GRACEFUL, Ending.CLOSE);
            }
        }
    }

    @Override
    void onBroken(long nowNanos) {
        now = nowNanos;
        engine.factory().counters().countShared(TcpCounter.RESET);
        finish(LlpEnd.RESET, Ending.CLOSE);
    }

    @Override
    void onTimedOut(long nowNanos) {
        now = nowNanos;
        startFailure = LlpFailure.TIMED_OUT;
        finish(LlpEnd.TIMED_OUT, Ending.CLOSE);
    }

    // ---- out

    @Override
    void prepare(long nowNanos) {
        now = nowNanos;
        if (outputClosed) {
            return;
        }
        if (!outputHeld && !fill(nowNanos)) {
            return; // a batch is to be written, or not available yet
        }
        if (closeRequested) {
            endOutput(nowNanos);
        }
    }

    @Override
    boolean wantsOutput() {
        return upper.wantsToSend() || (closeRequested && !outputClosed);
    }

    /** {@return whether the layer above has nothing to send} */
    private boolean fill(long nowNanos) {
        if (!upper.wantsToSend()) { // the usual case, so nothing else is touched
            stopWaiting();
            return true;
        }
        if (!out.canFill(nowNanos)) {
            out.startWaiting();
            boolean begins = batchRetry == MpaEngine.NEVER;
            if (begins) {
                engine.factory().counters().countShared(TcpCounter.WAITED_FOR_BATCH);
            }
            if (begins || batchRetry <= nowNanos) {
                batchRetry = out.askAgain(nowNanos);
            }
            return false;
        }
        stopWaiting();
        TurnLength turns = engine.factory().turns();
        int most = turns.writeQuantum();
        int mostOctets = turns.writeOctets();
        boolean more = true;
        fpdus = 0;
        octets = 0;
        segmentUnknown |= segment.aligns() && (!segment.isWhole() || out.wasHeldUp());
        fillsSegment = false;
        while (more
                && (fpdus == 0 || (!oneFpduPerWrite && fpdus < most && octets < mostOctets && hasRoom(current())))) {
            try {
                more = upper.pollUlpdu(this, nowNanos) && upper.wantsToSend();
            } catch (BatchPool.ExhaustedException e) {
                engine.factory().counters().countShared(TcpCounter.BATCHES_EXHAUSTED);
                finish(LlpEnd.ABORTED, Ending.ABORT);
                return false;
            }
        }
        FpduBatch batch = out.filling();
        if (batch == null) {
            return true;
        }
        sentOffset = batch.streamOffset();
        counters.add(TcpCounter.BUFFERED, batch.buffered());
        counters.add(TcpCounter.GATHERED, batch.gathered());
        out.filled();
        return false;
    }

    private void stopWaiting() {
        if (batchRetry != MpaEngine.NEVER) {
            batchRetry = MpaEngine.NEVER;
            out.stopWaiting();
        }
    }

    /**
     * A long batch ends at the end of a TCP segment if possible, so that the next batch begins a segment even if TCP
     * has not sent this one.
     */
    private boolean hasRoom(FpduBatch batch) {
        int mulpdu = segment.mulpdu();
        return segment.isWhole() ? !fillsSegment && batch.hasRoom(0, 2 * mulpdu) : batch.hasRoom(0, mulpdu);
    }

    @Override
    public int mulpdu() {
        return segment.mulpdu();
    }

    @Override
    public int mulpdu(long wanted) {
        FpduBatch batch = out.filling();
        long offset = batch == null ? sentOffset : batch.streamOffset();
        if (segmentUnknown && !segment.holds(wanted, offset)) {
            findSegment(offset - sentOffset);
        }
        return segment.mulpdu(wanted, offset);
    }

    /**
     * MPA-5.1-1: queried only if an FPDU may have to be shortened, because the query is a system call. {@code filled}
     * octets are in the batch.
     */
    private void findSegment(long filled) {
        segmentUnknown = false;
        int unsent = tcpTells ? engine.driver().unsentOctets(segmentWanted) : StreamDriver.UNKNOWN;
        tcpTells = unsent >= 0;
        if (unsent >= 0) {
            segment.begin(unsent + filled);
            fillsSegment = !segment.isWhole();
        } else if (unsent == StreamDriver.OTHER_SEGMENTS) {
            segment.cutNothing();
        } else if (!out.wasHeldUp()) {
            segment.begin(filled); // TCP has most likely sent the octets that it accepted in one write
        }
    }

    @Override
    public int begin(int headerLength, int payloadLength) {
        FpduBatch batch = out.filling();
        if (batch == null) {
            batch = out.fill(now);
            crcField.reset(batch, crc, sendMarkers, sentOffset);
        }
        fpduOffset = batch.streamOffset();
        fpdus++;
        octets += headerLength + payloadLength;
        return batch.begin(headerLength, payloadLength);
    }

    @Override
    public ByteBuffer buffer() {
        return current().buffer();
    }

    @Override
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {
        current().payload(source, offset, length, stable);
    }

    @Override
    public void end() {
        FpduBatch batch = current();
        batch.end();
        segment.put(batch.streamOffset() - fpduOffset);
    }

    private FpduBatch current() {
        FpduBatch batch = out.filling();
        if (batch == null) {
            throw new IllegalStateException("begin a ULPDU first");
        }
        return batch;
    }

    @Override
    void onLook(long nowNanos) {
        if (closeRequested && deadline == MpaEngine.NEVER) {
            deadline = nowNanos + engine.factory().linger();
        }
    }

    @Override
    void onProgress(long nowNanos) {
        if (closeRequested && deadline != MpaEngine.NEVER) {
            deadline = nowNanos + engine.factory().linger(); // a long queue may take long as long as it progresses
        }
    }

    @Override
    void onTransmitted(long nowNanos) {
        now = nowNanos;
        upper.onTransmitted(nowNanos);
    }

    // ---- the end

    /** All output is sent: closes our direction. */
    private void endOutput(long nowNanos) {
        outputClosed = true;
        fpduDeadline = MpaEngine.NEVER;
        if (inputClosed) {
            finish(LlpEnd.GRACEFUL, Ending.CLOSE); // RFC 5041 §6.2.1, DDP-6.2.1-4: in order, not by a reset
        } else {
            // Further input is read and discarded, because closing a socket with unread input resets the connection,
            // which could lose our last output.
            deadline = nowNanos + engine.factory().linger();
            engine.shutDownOutput();
        }
    }

    @Override
    void close() {
        closeRequested = true;
        startFailure = LlpFailure.LOCAL;
    }

    @Override
    void settled() {
        upper.settled();
    }

    @Override
    long nextTimeout() {
        return Math.min(Math.min(deadline, fpduDeadline), Math.min(batchRetry, upper.nextTimeout()));
    }

    @Override
    void onTimeout(long nowNanos) {
        now = nowNanos;
        if (nowNanos >= deadline) {
            onDeadline();
        } else if (nowNanos >= fpduDeadline) {
            onFpduDeadline(nowNanos);
        } else if (nowNanos >= upper.nextTimeout()) {
            upper.onTimeout(nowNanos);
        } // otherwise batchRetry is due: the driver calls prepare next, which asks for a send buffer again
    }

    /**
     * Acts in two steps. Between them the driver reads once more, because after a long time without a poll, timers fire
     * before input, and the rest of the FPDU may have arrived in time. SEC-6.4.4-1: a connection whose peer trickles is
     * counted and ended.
     */
    private void onFpduDeadline(long nowNanos) {
        if (fpduLate) {
            engine.factory().counters().countShared(TcpCounter.FPDU_TIMED_OUT);
            startFailure = LlpFailure.TIMED_OUT;
            finish(LlpEnd.TRUNCATED, Ending.ABORT);
        } else {
            fpduLate = true;
            fpduDeadline = nowNanos + engine.factory().fpduTimeout() / 2;
        }
    }

    private void onDeadline() {
        if (awaiting != null && !closeRequested) {
            engine.factory().counters().countShared(TcpCounter.START_TIMED_OUT);
            startFailure = LlpFailure.TIMED_OUT;
            finish(LlpEnd.ABORTED, Ending.CLOSE);
        } else {
            engine.factory().counters().countShared(TcpCounter.LINGER_EXPIRED);
            finish(LlpEnd.LINGER_EXPIRED, outputClosed ? Ending.CLOSE : Ending.ABORT);
        }
    }

    @Override
    void onSendTimeout(long nowNanos) {
        now = nowNanos;
        engine.factory().counters().countShared(TcpCounter.SEND_TIMED_OUT);
        startFailure = LlpFailure.TIMED_OUT;
        finish(LlpEnd.TIMED_OUT, Ending.ABORT);
    }

    @Override
    void onAborted(long nowNanos) {
        now = nowNanos;
        startFailure = LlpFailure.LOCAL;
        finish(LlpEnd.ABORTED, Ending.ABORT);
    }

    /** Returns the buffers that connections share. */
    void leave() {
        assembler.close();
        reassembly.leave();
    }

    /** The last call to the layers above. */
    private void finish(LlpEnd end, Ending how) {
        try {
            leave();
        } finally {
            try {
                engine.end(how);
                tellHandler(end);
            } finally {
                tellUpper(end);
            }
        }
    }

    private void tellHandler(LlpEnd end) {
        AwaitingReadyToReceive told = awaiting;
        if (told != null) {
            awaiting = null;
            told.handler()
                    .onFailed(
                            engine.connection(),
                            startFailure,
                            engine.peer() + " sent no ready-to-receive message: " + end.sentence());
        }
    }

    private void tellUpper(LlpEnd end) {
        try {
            Throwable fault = engine.fault();
            if (fault != null) {
                upper.onFault(fault, now);
            }
        } finally {
            boolean told = false;
            try {
                upper.onClosed(end, now);
                told = true;
            } finally {
                if (!told) {
                    upper.onClosed(
                            end, now); // even if something threw before, the upper layer must release its resources
                }
            }
        }
    }
}
