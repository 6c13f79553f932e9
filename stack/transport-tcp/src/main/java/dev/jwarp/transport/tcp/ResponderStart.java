package dev.jwarp.transport.tcp;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.EnhancedData;
import dev.jwarp.mpa.PrivateData;
import dev.jwarp.mpa.ResponderNegotiation;
import dev.jwarp.mpa.StartFrame;
import dev.jwarp.mpa.StartFrameProblem;
import dev.jwarp.mpa.StartSettings;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The start-up of the side that listens: waits for the Request, lets the layer above decide, sends the Reply (RFC 5044
 * §7.1.2).
 *
 * <pre>
 *   waiting for the Request ──► deciding ──► accepted, Reply being sent ──► FullOperation
 *          │                       ├───────► rejected, Reply being sent ──► Leaving
 *          └── bad, late, closed ──┴───────► over
 * </pre>
 */
final class ResponderStart extends StartUp {
    private enum State {
        AWAITING_REQUEST,
        DECIDING,
        ACCEPTED,
        REJECTED
    }

    private State state = State.AWAITING_REQUEST;
    private @Nullable Agreement agreement;
    private @Nullable UpperLayer upper;

    ResponderStart(MpaEngine engine, ConnectionHandler handler, long nowNanos) {
        super(engine, handler, StartFrame.Kind.REQUEST);
        // RFC 5044 §7.1.2 (8), (10), MPA-7.1.2-9, SEC-6.4.2-1: limits the time of a peer that sends no complete
        // Request.
        deadline = nowNanos + engine.factory().settings().nanos(TcpSetting.REQUEST_TIMEOUT);
    }

    @Override
    void onConnected(long nowNanos) {}

    @Override
    void onFrame(StartFrame request, long nowNanos) {
        StartFrameProblem problem =
                ResponderNegotiation.examine(engine.factory().startSettings(), request);
        if (problem != null) {
            // RFC 6581 §10, MPA2-10-5: the initiator may try again with revision 1. Linux's RNIC drivers do so after a
            // reset only (peer_abort() of cxgb4, irdma_handle_rst_pkt()), and give up after FIN.
            failBecauseOf(problem, Ending.ABORT, nowNanos);
            return;
        }
        state = State.DECIDING;
        deadline = nowNanos + engine.factory().settings().nanos(TcpSetting.ACCEPT_TIMEOUT);
        // MPA-7.1.2-1: nothing has been sent so far.
        handler.onRequest(engine.connection(), Parameters.of(request));
    }

    @Override
    void accept(StartParameters reply, UpperLayer upperLayer) {
        checkDeciding();
        StartSettings offered = engine.factory().startSettings().withDepths(reply.ird(), reply.ord());
        ResponderNegotiation.Acceptance acceptance =
                ResponderNegotiation.accept(offered, assembler.frame(), PrivateData.of(reply.privateData()));
        agreement = acceptance.agreement();
        upper = upperLayer;
        state = State.ACCEPTED;
        engine.send(acceptance.reply().encode());
    }

    @Override
    void reject(byte[] privateData) {
        checkDeciding();
        StartSettings offered = engine.factory().startSettings().withDepths(0, 0);
        state = State.REJECTED;
        if (assembler.frame().revision() == StartFrame.REVISION_0) {
            engine.become(new Leaving(engine)); // revision 0 has no R: any Reply would accept
            return;
        }
        // MPA-7.1.2-3: R=1.
        engine.send(ResponderNegotiation.reject(offered, assembler.frame(), PrivateData.of(privateData))
                .encode());
    }

    private void checkDeciding() {
        if (state != State.DECIDING || isCloseRequested()) {
            throw new IllegalStateException("the Request of " + engine.peer() + " has been answered already");
        }
    }

    @Override
    void onTransmitted(long nowNanos) {
        if (state == State.REJECTED) {
            engine.become(new Leaving(engine));
        } else {
            establish(Objects.requireNonNull(agreement), Objects.requireNonNull(upper), nowNanos);
        }
    }

    private void establish(Agreement agreed, UpperLayer upperLayer, long nowNanos) {
        EnhancedData asked = agreed.peerFrame().enhanced();
        boolean peerToPeer = asked != null && asked.peerToPeer();
        FullOperation operation = new FullOperation(engine, agreed, upperLayer);
        engine.become(operation); // MPA-7.1.2-14: only FPDUs arrive from now on
        if (peerToPeer) {
            operation.awaitReadyToReceive(
                    handler, agreed, nowNanos + engine.factory().settings().nanos(TcpSetting.ACCEPT_TIMEOUT));
        }
        upperLayer.onEstablished(engine.connection(), Parameters.of(agreed), nowNanos);
        if (!peerToPeer) {
            tellEstablished(handler, agreed);
        }
    }

    @Override
    void onInputClosed(long nowNanos) {
        if (state == State.AWAITING_REQUEST && !assembler.isEmpty()) {
            assembler.endOfInput();
            failBecauseOf(Objects.requireNonNull(assembler.problem()), nowNanos);
        } else {
            onClosedByPeer("closed", nowNanos);
        }
    }

    @Override
    boolean untold() {
        return state == State.AWAITING_REQUEST;
    }

    @Override
    void onTimedOut(long nowNanos) {
        failAndTell(
                LlpFailure.TIMED_OUT,
                engine.peer() + " did not answer any more during the start-up of its connection",
                nowNanos);
    }

    @Override
    void onClosedByPeer(String how, long nowNanos) {
        failAsClosedByPeer(
                how,
                state == State.AWAITING_REQUEST ? "before it sent a Request" : "before it had our Reply",
                nowNanos);
    }

    @Override
    void onSendTimeout(long nowNanos) {
        failAsTimedOut(engine.peer() + " does not take our Reply", nowNanos);
    }

    @Override
    String lateSentence() {
        return state == State.AWAITING_REQUEST
                ? engine.peer() + " sent no whole Request within " + millis(TcpSetting.REQUEST_TIMEOUT)
                : "the Request of " + engine.peer() + " was not answered within " + millis(TcpSetting.ACCEPT_TIMEOUT);
    }

    private String millis(TcpSetting setting) {
        return TimeUnit.NANOSECONDS.toMillis(engine.factory().settings().nanos(setting)) + " ms";
    }
}
