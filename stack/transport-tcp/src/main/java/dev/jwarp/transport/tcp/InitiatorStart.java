package dev.jwarp.transport.tcp;

import dev.jwarp.base.Moment;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.InitiatorNegotiation;
import dev.jwarp.mpa.MpaError;
import dev.jwarp.mpa.PrivateData;
import dev.jwarp.mpa.StartFrame;
import dev.jwarp.mpa.StartFrameProblem;
import dev.jwarp.mpa.StartOutcome;
import dev.jwarp.mpa.StartSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The start-up of the side that connects: sends the Request, evaluates the Reply (RFC 5044 §7.1.2, RFC 6581 §9).
 *
 * <pre>
 *   connecting ──► Request sent ──► Reply ──► FullOperation
 *        ▲              │             ├─────► rejected: Leaving
 *        │              │             └─────► terms not acceptable: Terminate, Leaving
 *        └─ revision 1 ◄┴ closed by the peer, or timeout: over
 * </pre>
 */
final class InitiatorStart extends StartUp {
    /** For a peer that knows no other revision. */
    private static final String REVISION_1_CURE = "set " + TcpSetting.FALLBACK.key()
            + "=on to connect again with revision 1, or " + TcpSetting.REVISION.key() + "=1 to begin with it";

    private final UpperLayer upper;
    private final PrivateData privateData;
    private final long timeoutNanos;
    private StartSettings wanted;
    private StartFrame request;
    private boolean fellBack;

    InitiatorStart(
            MpaEngine engine,
            StartParameters offer,
            long nowNanos,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler) {
        super(engine, handler, StartFrame.Kind.REPLY);
        this.upper = upper;
        this.timeoutNanos = timeoutNanos;
        deadline = Moment.after(nowNanos, timeoutNanos);
        privateData = PrivateData.of(offer.privateData());
        wanted = engine.factory().startSettings().withDepths(offer.ird(), offer.ord());
        request = InitiatorNegotiation.request(wanted, privateData);
    }

    @Override
    void onConnected(long nowNanos) {
        engine.send(request.encode());
    }

    @Override
    void onConnectFailed(LlpFailure failure, String sentence) {
        fail(failure, sentence);
    }

    @Override
    void receive(ByteBuffer in, long nowNanos) {
        if (engine.hasUnsent()) {
            engine.factory().counters().countShared(TcpCounter.BAD_START_FRAME);
            fail(LlpFailure.BAD_START_FRAME, engine.peer() + " sent bytes before it had our Request");
            return;
        }
        super.receive(in, nowNanos);
    }

    @Override
    void onFrame(StartFrame frame, long nowNanos) {
        StartOutcome outcome = InitiatorNegotiation.judge(wanted, request, frame);
        if (outcome instanceof Agreement agreement) {
            establish(agreement, nowNanos);
        } else if (outcome instanceof StartOutcome.RejectedByPeer) {
            // RFC 5044 §7.1.2 (3), MPA-7.1.2-5, MPA-7.1.2-4: MPA ends, and octets after the Reply are no FPDUs. The
            // layer above does not use the plain TCP connection, so it is closed.
            engine.become(new Leaving(engine));
            handler.onRejected(engine.connection(), Parameters.of(frame));
        } else if (outcome instanceof StartOutcome.Terminate terminate) {
            terminate(terminate.error(), terminate.framing(), nowNanos);
            engine.factory().counters().countShared(TcpCounter.NO_AGREEMENT);
            handler.onFailed(
                    engine.connection(),
                    LlpFailure.NO_AGREEMENT,
                    "no agreement with " + engine.peer() + ": " + terminate.sentence());
        } else if (outcome instanceof StartOutcome.Close close) {
            if (close.mayRetryWithRevision1() && mayFallBack()) {
                fallBack("answered the enhanced Request with a plain Reply", nowNanos);
            } else {
                failBecauseOf(close.problem(), nowNanos);
            }
        }
    }

    private void establish(Agreement agreement, long nowNanos) {
        FullOperation operation = new FullOperation(engine, agreement, upper);
        LlpAgreement terms = Parameters.of(agreement); // failures up to here are not of the layer above
        engine.become(operation);
        try {
            // MPA-7.1.2-11: a side that does not accept the Reply closes before it sends anything.
            upper.onEstablished(engine.connection(), terms, nowNanos);
        } catch (Throwable e) {
            // RFC 6581 §9.3, MPA2-9.3-1: a local failure without its own code is reported with Terminate 2/0/05.
            operation.leave();
            terminate(MpaError.LOCAL_CATASTROPHIC, agreement, nowNanos);
            engine.factory().counters().countShared(TcpCounter.LAYER_ABOVE_FAILED);
            try {
                handler.onFailed(
                        engine.connection(),
                        LlpFailure.LOCAL,
                        "the layer above failed when the connection with " + engine.peer() + " was established: " + e);
            } finally {
                upper.onFault(e, nowNanos);
                upper.onClosed(LlpEnd.ABORTED, nowNanos);
            }
            return;
        }
        tellEstablished(handler, agreement);
    }

    /** RFC 6581 §9.1, §9.2: the first and last FPDU reports the error. */
    private void terminate(MpaError error, Agreement framing, long nowNanos) {
        engine.become(new Leaving(engine));
        Output out = engine.out();
        if (out.canFill(nowNanos)) { // otherwise the Terminate is omitted
            StartTerminate.fill(
                    out.fill(nowNanos),
                    error,
                    framing,
                    engine.factory().settings().crcField());
            out.filled();
        }
    }

    @Override
    void onInputClosed(long nowNanos) {
        onClosedByPeer("closed", nowNanos);
    }

    @Override
    void onTimedOut(long nowNanos) {
        fail(LlpFailure.TIMED_OUT, engine.peer() + " did not answer any more before it had sent its Reply");
    }

    @Override
    void onClosedByPeer(String how, long nowNanos) {
        // RFC 6581 §10, MPA2-10-4: a responder that knows only revision 1 closes TCP on an enhanced Request.
        if (assembler.isEmpty() && mayFallBack()) {
            fallBack(how + " the connection without a Reply", nowNanos);
            return;
        }
        String progress = assembler.isEmpty() ? "without a Reply to our Request" : "inside its Reply";
        String hint = wanted.revision() == StartFrame.REVISION_2 && assembler.isEmpty()
                ? "; if it knows only MPA revision 1: " + REVISION_1_CURE
                        + (wanted.peerToPeer()
                                ? ""
                                : "; if it wants the peer-to-peer set-up, as some RNICs do: "
                                        + TcpSetting.PEER_TO_PEER.key() + "=on")
                : "";
        failAsClosedByPeer(how, progress + hint, nowNanos);
    }

    private boolean mayFallBack() {
        return wanted.revision() == StartFrame.REVISION_2
                && !isCloseRequested()
                && engine.factory().settings().on(TcpSetting.FALLBACK);
    }

    /** RFC 6581 §10: the initiator may try again without the enhanced set-up, on a new TCP connection. */
    private void fallBack(String why, long nowNanos) {
        engine.factory().counters().countShared(TcpCounter.FALLEN_BACK);
        engine.factory()
                .warn(
                        engine.source(),
                        LlpFailure.CLOSED_BY_PEER,
                        engine.peer() + " " + why + ": connecting again with MPA revision 1, as "
                                + TcpSetting.FALLBACK.key()
                                + "=on says; read depths are not negotiated then"
                                + (wanted.peerToPeer() ? ", and there is no peer-to-peer set-up" : ""),
                        nowNanos);
        fellBack = true;
        wanted = wanted.withRevision(StartFrame.REVISION_1);
        request = InitiatorNegotiation.request(wanted, privateData);
        assembler = newAssembler();
        engine.reconnect();
    }

    @Override
    String cure(StartFrameProblem problem) {
        return problem == StartFrameProblem.REPLY_NOT_ENHANCED ? "; " + REVISION_1_CURE : super.cure(problem);
    }

    @Override
    String attempt() {
        return fellBack ? " (on the second connection, with MPA revision 1: " + TcpSetting.FALLBACK.key() + ")" : "";
    }

    @Override
    boolean untold() {
        return false; // the connecting program is notified of every failure
    }

    @Override
    void onSendTimeout(long nowNanos) {
        failAsTimedOut(lateSentence(), nowNanos);
    }

    @Override
    String lateSentence() {
        return "no connection with " + engine.peer() + " within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms: it did not answer, or does not speak MPA";
    }
}
