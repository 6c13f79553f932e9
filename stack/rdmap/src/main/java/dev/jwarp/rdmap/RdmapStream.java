package dev.jwarp.rdmap;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.rdmap.StreamState.Event;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One RDMAP stream: the protocol of one queue pair over one connection (RFC 5040, RFC 7306).
 *
 * <p>The program posts work through the {@link OperationRing} of the send queue and the {@link ReceiveSource}; the
 * stream reports completions to the {@link StreamListener}. Every operation completes exactly once; send queue
 * operations complete in the order they were posted.
 *
 * <p>Threads: a stream belongs to one owner at a time, the thread that drives the connection; other threads may use
 * only the producer side of the ring, the counters and {@link #state}. No method blocks or reads a clock.
 */
public final class RdmapStream implements UpperLayer {
    private static final long NEVER = Long.MAX_VALUE;

    private final StreamSettings settings;
    private final StreamListener listener;
    private final RdmapCounters counters;
    private final OutstandingRequests outstanding = new OutstandingRequests();
    private final InboundRequests requests;
    private final MessageWriter writer;
    private final SendSide sends;
    private final PostedReceives receives;
    private final InboundMessages inbound;
    private final OutboundTurns turns;
    private final Termination termination = new Termination();

    private final StreamLife life;

    private volatile @Nullable LlpAgreement agreement;
    private final LowerConnection lower = new LowerConnection();

    /** True once all further input is discarded. Written by the owner. */
    private volatile boolean inputEnded;

    private boolean flushWanted;
    private long disconnectDeadline = NEVER;
    private long nudgeAt = NEVER;

    /** When to check whether a probe is due, and when the last ULPDU came from the peer. */
    private long probeAt = NEVER;

    private long heardAt;

    /**
     * The table and domain that decide which STags peers may use through a stream.
     *
     * @param table the STags of the device
     * @param domain the protection domain of the stream
     * @param streamId number of the stream within the device, not 0; memory windows may be bound to this stream alone
     */
    public record Rights(STagTable table, StreamDomain domain, long streamId) {}

    /**
     * Creates a stream without a connection.
     *
     * @param settings configuration of the stream
     * @param sendQueue send queue of the stream, which is its only consumer
     * @param receives source of posted receives
     * @param listener notified of completions and changes of state
     * @param counters counters of the device
     */
    public RdmapStream(
            StreamSettings settings,
            Rights rights,
            OperationRing<SendOperation> sendQueue,
            ReceiveSource receives,
            StreamListener listener,
            RdmapCounters counters) {
        this.settings = settings;
        this.listener = listener;
        this.counters = counters;
        life = new StreamLife(listener, counters);
        TaggedAccess access = new TaggedAccess(rights.table, rights.domain.id(), rights.streamId);
        requests = new InboundRequests(access);
        writer = new MessageWriter(outstanding);
        sends = new SendSide(
                sendQueue, outstanding, new LocalOperations(rights.table, rights.domain), writer, listener, counters);
        turns = new OutboundTurns(requests, sends, settings.responsesInARow());
        this.receives = new PostedReceives(rights.table, rights.domain, access, receives, listener, counters);
        inbound = new InboundMessages(access, settings.extensions(), this.receives, requests, outstanding, sends);
    }

    /** {@return the state} Any thread; a snapshot. */
    public StreamState state() {
        return life.state();
    }

    /** {@return the parameters that start-up agreed on, or null before its end} Any thread. */
    public @Nullable LlpAgreement agreement() {
        return agreement;
    }

    /**
     * {@return whether all further input is discarded} Until then, even a stream in {@link StreamState#CLOSING}
     * receives the peer's messages and takes posted receives for them. Any thread.
     */
    public boolean inputEnded() {
        return inputEnded;
    }

    // ---- calls from the program above

    /**
     * Ends the stream in order (RFC 5040 §6.2, RFC 5041 §6.2.1): all work posted so far is sent, then our direction
     * ends (TCP: FIN). Unanswered Reads and Atomics, operations posted later, and posted receives are flushed. After
     * {@link StreamSettings#disconnectTimeoutNanos} the connection is aborted. Does nothing if the stream is not in
     * {@link StreamState#RTS}.
     */
    public void disconnect(long nowNanos) {
        if (!life.move(Event.CLOSE)) {
            return;
        }
        sends.close(); // DDP-6.2.1-1, DDP-6.2.1-2: earlier posts are sent, later posts flushed
        disconnectDeadline = nowNanos + settings.disconnectTimeoutNanos();
        life.tell();
        if (sends.allSent() && !requests.ready()) {
            closeLower();
        } else {
            lower.doorbell();
        }
    }

    /**
     * Aborts the connection, if there is one, and flushes all work. The state becomes {@link StreamState#ERROR}, unless
     * the connection has already ended in order.
     */
    public void fail(long nowNanos) {
        inputEnded = true;
        if (!lower.ended() && life.state() != StreamState.ERROR) {
            life.moveAndTell(Event.FAILED);
        }
        lower.abort();
        flushNow();
    }

    /**
     * Ends the stream because of a local failure, such as an overflow of its completion queue: sends a Terminate,
     * flushes all work and closes (RFC 5040 §4.8, §5.4). If no Terminate can be sent, does the same as {@link #fail}.
     *
     * @param code an error of the RDMAP or DDP layer, such as {@link TerminateCode#RDMAP_LOCAL_CATASTROPHIC}
     */
    public void terminate(TerminateCode code, long nowNanos) {
        if (code.layer() > 1) {
            throw new IllegalArgumentException("The lower layer's errors are its own to report: " + code);
        }
        if (lower.closing() || !life.allows(Event.TERMINATE_SENT)) {
            fail(nowNanos);
            return;
        }
        termination.compose(code);
        terminateSent(code);
    }

    /**
     * Holds or resumes the send queue (the verbs' SQD state). While the queue is held, operations posted before are
     * executed and operations posted afterwards wait.
     */
    public void holdSends(boolean hold) {
        sends.hold(hold);
        if (!hold) {
            lower.doorbell();
        }
    }

    /**
     * Executes the operations at the head of the send queue that send nothing. Needed while the lower layer does not
     * poll, such as on a responder before the first FPDU has arrived (RFC 5044 §7.1.2 (4)). An operation that fails
     * ends the stream.
     */
    public void performLocal(long nowNanos) {
        if (life.state() == StreamState.RTS && !lower.closing()) {
            sends.performLocal();
            composeForFault();
        }
    }

    /**
     * Flushes work posted after the end of the stream. The owner calls this method after each such post; a call with
     * nothing to flush does nothing.
     */
    public void flushPosted(long nowNanos) {
        if (lower.closing() || life.state() == StreamState.ERROR) {
            flushWhenSafe();
        }
    }

    // ---- calls from the lower layer

    @Override
    public void onEstablished(LowerLayer connection, LlpAgreement outcome, long nowNanos) {
        if (!connection.ordered()) {
            // RFC 5040 §5.5: over an unordered layer, ULPDUs alone do not give in-order delivery of tagged messages.
            throw new IllegalArgumentException("RDMAP runs over a lower layer that keeps the order of ULPDUs");
        }
        lower.open(connection);
        if (!life.move(Event.ESTABLISHED)) {
            lower.abort(); // the stream failed while the connection was being established
            return;
        }
        agreement = outcome;
        boolean peerReads = !outcome.initiator() && outcome.readyToReceive() == ReadyToReceive.READ;
        requests.open(outcome.ird(), peerReads);
        outstanding.open(outcome.ord());
        inbound.open(outcome.initiator());
        if (outcome.initiator()) {
            sends.readyToReceive(outcome.readyToReceive());
            nudgeAt = mayNudge(outcome) ? nowNanos + StreamSettings.NUDGE_NANOS : NEVER;
        }
        heardAt = nowNanos;
        probeAt = settings.probeNanos() == 0 ? NEVER : nowNanos + settings.probeNanos();
        life.tell();
        lower.doorbell();
    }

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
        nudgeAt = NEVER;
        heardAt = nowNanos;
        if (inputEnded) {
            // RFC 5041 §7.1, RFC 5040 §5.4, DDP-7.1-11: after an error or a Terminate the rest is dropped silently.
            counters.count(RdmapCounter.ULPDUS_DISCARDED);
            return;
        }
        TerminateCode code = inbound.take(buffer, offset, length); // RDMAP-6.1-1: only RDMAP messages
        if (code != null) {
            termination.compose(code, buffer, inbound.segment(), inbound.refusedRequest());
            terminateSent(code);
        } else if (inbound.terminated()) {
            terminateReceived(inbound.terminate());
        } else if (inbound.wantsOutput()) {
            lower.doorbell();
        }
    }

    @Override
    public boolean wantsToSend() {
        if (termination.pending()) {
            return true;
        }
        if (!life.flowing() || lower.closing()) {
            return false;
        }
        return turns.ready() || (life.state() == StreamState.CLOSING && sends.allSent()); // then it closes
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        if (!termination.pending()) { // RDMAP-5.4-2: nothing is polled after a Terminate
            if (!life.flowing() || lower.closing()) {
                return false;
            }
            if (turns.poll(out)) {
                return true;
            }
            if (!composeForFault()) {
                if (life.state() == StreamState.CLOSING && sends.allSent()) {
                    closeLower();
                }
                return false;
            }
        }
        counters.count(RdmapCounter.TERMINATES_SENT);
        termination.poll(out);
        return true;
    }

    /** {@return whether the last attempt to send failed, so that a Terminate replaces it} */
    private boolean composeForFault() {
        TerminateCode code = turns.composeFault(termination);
        if (code != null) {
            terminateSent(code);
        }
        return code != null;
    }

    @Override
    public void onTransmitted(long nowNanos) {
        sends.transmitted();
        if (flushWanted) {
            flushNow();
        }
    }

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {
        if (inputEnded) {
            counters.count(RdmapCounter.ULPDUS_DISCARDED);
            return;
        }
        if (mayAnswer) {
            // RFC 5044 §8, RFC 5040 §4.8, figure 10: the Terminate carries the code and no copy of a header.
            termination.compose(code);
            terminateSent(code);
            return;
        }
        // RFC 5044 §7.1.2 (4): a responder sends nothing before it has validated an FPDU.
        counters.count(RdmapCounter.ERRORS_NOT_ANSWERED);
        inputEnded = true;
        life.found(code, null);
        life.moveAndTell(Event.FAILED);
        closeLower();
    }

    @Override
    public void onPeerClosed(long nowNanos) {
        if (inputEnded) {
            return;
        }
        nudgeAt = NEVER;
        probeAt = NEVER;
        // RFC 5041 §6.2.1, DDP-6.2.1-3: half closed; our direction continues. RFC 5040 §6.2: outstanding responses are
        // lost.
        sends.peerClosed();
        listener.peerClosed();
        lower.doorbell();
    }

    @Override
    public void onClosed(LlpEnd end, long nowNanos) {
        if (lower.ended()) {
            endWork(end); // finishes the work if the first call threw
            return;
        }
        lower.end();
        inputEnded = true;
        boolean orderly = end == LlpEnd.GRACEFUL;
        if (!orderly && end != LlpEnd.ABORTED) {
            counters.count(RdmapCounter.CONNECTIONS_LOST);
        }
        if (!orderly && life.flowing()) {
            life.found(TerminateCode.MPA_CONNECTION_LOST, null); // RFC 5044 §8, DDP-6.2.2-1, MPA-8-4: reported here
        }
        if (life.state() != StreamState.ERROR) {
            life.moveAndTell(orderly ? Event.LLP_CLOSED : Event.LLP_LOST);
        }
        endWork(end);
    }

    private void endWork(LlpEnd end) {
        if (lower.settled()) {
            return;
        }
        flushNow();
        listener.closed(end);
        lower.settle();
    }

    @Override
    public long nextTimeout() {
        StreamState state = life.state();
        if (state == StreamState.RTS) {
            return Math.min(nudgeAt, probeAt);
        }
        return state == StreamState.CLOSING && !lower.closing() ? disconnectDeadline : NEVER;
    }

    @Override
    public void onTimeout(long nowNanos) {
        boolean due = nowNanos >= nextTimeout();
        if (due && life.state() == StreamState.RTS) {
            if (nowNanos >= nudgeAt) {
                nudge();
            }
            if (nowNanos >= probeAt) {
                probe(nowNanos);
            }
        } else if (due) {
            counters.count(RdmapCounter.DISCONNECTS_TIMED_OUT);
            fail(nowNanos);
        }
    }

    /**
     * {@return whether this stream may send an empty Write: with {@link Nudge#AUTO}, only if the peer's Reply asks for
     * one}
     */
    private boolean mayNudge(LlpAgreement outcome) {
        return settings.nudge() == Nudge.ON || (settings.nudge() == Nudge.AUTO && outcome.writeAwaited());
    }

    /**
     * Sends the empty Write, at most once. With AUTO, any message sent or ready to be sent makes it unnecessary,
     * because that message already allows a responder to send (RFC 5044 §7.1.2 (4)).
     */
    private void nudge() {
        nudgeAt = NEVER;
        if (settings.nudge() == Nudge.ON || !sends.spoke()) {
            sendEmptyWrite(RdmapCounter.NUDGES_SENT);
        }
    }

    private void probe(long nowNanos) {
        if (nowNanos - heardAt >= settings.probeNanos()) {
            sendEmptyWrite(RdmapCounter.PROBES_SENT);
            heardAt = nowNanos; // the next probe follows after the same time
        }
        probeAt = heardAt + settings.probeNanos();
    }

    private void sendEmptyWrite(RdmapCounter counter) {
        counters.count(counter);
        sends.nudge();
        lower.doorbell();
    }

    /** Our Terminate is composed. RFC 5040 §7.1 (4), RDMAP-7.1-1, RDMAP-7.1-2: only for the first error. */
    private void terminateSent(TerminateCode code) {
        inputEnded = true;
        life.found(code, termination.message());
        life.moveAndTell(Event.TERMINATE_SENT);
        closeLower();
    }

    /** RFC 5040 §5.4, RDMAP-5.4-3, RDMAP-5.4-5: the Terminate goes to the program above; nothing is sent in answer. */
    private void terminateReceived(@Nullable TerminateMessage message) {
        inputEnded = true;
        sends.blame(message);
        life.told(message);
        life.moveAndTell(Event.TERMINATE_RECEIVED);
        closeLower();
    }

    /** Ends our direction in order and discards all further input. */
    private void closeLower() {
        inputEnded = true;
        lower.close();
        flushWhenSafe();
    }

    /** Flushes only after the lower layer has released the memory of the operations. */
    private void flushWhenSafe() {
        if (lower.gone() || !sends.inTransmission()) {
            flushNow();
        } else {
            flushWanted = true;
        }
    }

    /** Flushes in the order of siw: the send queue from its oldest operation, then the receives. */
    private void flushNow() {
        flushWanted = false;
        sends.flush();
        receives.flush();
    }

    /** For tests near the wrap: the next message of each queue has these numbers. Before the first message. */
    void startAt(int outbound, int expected) {
        writer.startAt(outbound);
        requests.startAt(outbound);
        inbound.startAt(expected);
    }
}
