package dev.jwarp.transport.tcp;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.mpa.StartFrame;
import dev.jwarp.mpa.StartFrameAssembler;
import dev.jwarp.mpa.StartFrameProblem;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The common part of both sides' start-up: one frame of the peer, a deadline, a wish to close, and the report of a
 * failure.
 */
abstract class StartUp extends Phase {
    final ConnectionHandler handler;
    /** Holds the received part of the peer's frame. */
    StartFrameAssembler assembler;

    long deadline = MpaEngine.NEVER;
    private final StartFrame.Kind awaited;
    private boolean closeRequested;

    /** Waits for a frame of the kind {@code awaited}. */
    StartUp(MpaEngine engine, ConnectionHandler handler, StartFrame.Kind awaited) {
        super(engine);
        this.handler = handler;
        this.awaited = awaited;
        assembler = newAssembler();
    }

    final StartFrameAssembler newAssembler() {
        return new StartFrameAssembler(awaited, engine.factory().settings().on(TcpSetting.REVISION_ZERO));
    }

    /** The peer's frame is complete. */
    abstract void onFrame(StartFrame frame, long nowNanos);

    /**
     * The peer ended the byte stream.
     *
     * @param how one word for the message: closed or reset
     */
    abstract void onClosedByPeer(String how, long nowNanos);

    /** {@return advice for the user, appended to the message of a failure; may be empty} */
    String cure(StartFrameProblem problem) {
        if (problem != StartFrameProblem.UNSUPPORTED_REVISION) {
            return "";
        }
        int revision = assembler.revision();
        if (revision == StartFrame.REVISION_0) {
            return "; it is 0: if the peer means 1, set " + TcpSetting.REVISION_ZERO.key() + "=on";
        }
        return "; it is " + revision
                + (revision == StartFrame.REVISION_2 ? ": set " + TcpSetting.REVISION.key() + "=2" : "");
    }

    /** {@return the number of the attempt, appended to a message; may be empty} */
    String attempt() {
        return "";
    }

    /** {@return the message of a missed deadline} */
    abstract String lateSentence();

    final boolean isCloseRequested() {
        return closeRequested;
    }

    @Override
    void receive(ByteBuffer in, long nowNanos) {
        // RFC 5044 §7.1.1, MPA-7.1.1-14: octets between Request and Reply make the Request invalid; the assembler
        // checks that.
        switch (assembler.receive(in)) {
            case INCOMPLETE -> {}
            case BROKEN -> failBecauseOf(Objects.requireNonNull(assembler.problem()), nowNanos);
            case COMPLETE -> onFrame(assembler.frame(), nowNanos);
        }
    }

    @Override
    final void onBroken(long nowNanos) {
        onClosedByPeer("reset", nowNanos);
    }

    final void failBecauseOf(StartFrameProblem problem, long nowNanos) {
        failBecauseOf(problem, Ending.CLOSE, nowNanos);
    }

    /** Ends the stream in the way {@code how}, because of the peer's frame. */
    final void failBecauseOf(StartFrameProblem problem, Ending how, long nowNanos) {
        MpaEngineFactory factory = engine.factory();
        factory.counters().countShared(TcpCounter.BAD_START_FRAME);
        boolean listener = awaited == StartFrame.Kind.REQUEST;
        String sentence = engine.peer() + " sent no valid " + (listener ? "Request" : "Reply") + ": "
                + problem.sentence() + " (" + problem.source() + ")" + cure(problem);
        if (problem == StartFrameProblem.UNSUPPORTED_REVISION) {
            factory.counters().countShared(TcpCounter.REVISION_REFUSED);
        }
        warn(problem, sentence, nowNanos);
        fail(how, LlpFailure.BAD_START_FRAME, sentence);
    }

    /** The peer closed or reset the connection too early (RFC 5044 §7.1.2; of an initiator MPA-7.1.2-13). */
    final void failAsClosedByPeer(String how, String when, long nowNanos) {
        engine.factory().counters().countShared(TcpCounter.START_CLOSED_BY_PEER);
        failAndTell(LlpFailure.CLOSED_BY_PEER, engine.peer() + " " + how + " the connection " + when, nowNanos);
    }

    final void failAsTimedOut(String sentence, long nowNanos) {
        engine.factory().counters().countShared(TcpCounter.START_TIMED_OUT);
        failAndTell(LlpFailure.TIMED_OUT, sentence, nowNanos);
    }

    /** As {@link #fail}, and logs the failure if it is not reported to a program. */
    final void failAndTell(LlpFailure failure, String sentence, long nowNanos) {
        warn(failure, sentence, nowNanos);
        fail(failure, sentence);
    }

    private void warn(Enum<?> kind, String sentence, long nowNanos) {
        if (untold()) {
            engine.factory().warn(engine.source(), kind, sentence, nowNanos);
        }
    }

    /** {@return whether no program knows the connection, for example that of a client of plain TCP} */
    abstract boolean untold();

    /** RFC 5044 §7.1.1, §8 (4), MPA-8-2: closes, notifies the layer above, sends nothing. */
    final void fail(LlpFailure failure, String sentence) {
        fail(Ending.CLOSE, failure, sentence);
    }

    private void fail(Ending how, LlpFailure failure, String sentence) {
        engine.end(how);
        tellFailed(failure, sentence + attempt());
    }

    /**
     * Reports the end of the engine to the handler of the connection, once more if the handler threw the first time.
     */
    private void tellFailed(LlpFailure failure, String sentence) {
        boolean told = false;
        try {
            handler.onFailed(engine.connection(), failure, sentence);
            told = true;
        } finally {
            if (!told) {
                handler.onFailed(engine.connection(), failure, sentence);
            }
        }
    }

    @Override
    final void prepare(long nowNanos) {
        if (closeRequested) {
            closedByUs();
        }
    }

    private void closedByUs() {
        fail(LlpFailure.LOCAL, "this side closed the connection with " + engine.peer() + " during its start-up");
    }

    @Override
    final long nextTimeout() {
        return closeRequested ? MpaEngine.AT_ONCE : deadline;
    }

    @Override
    final void onTimeout(long nowNanos) {
        if (closeRequested) {
            closedByUs();
        } else if (nowNanos >= deadline) {
            failAsTimedOut(lateSentence(), nowNanos);
        }
    }

    @Override
    final void close() {
        closeRequested = true;
    }

    @Override
    final void onAborted(long nowNanos) {
        engine.end(Ending.ABORT);
        tellFailed(LlpFailure.LOCAL, abortedSentence());
    }

    private String abortedSentence() {
        try {
            Throwable fault = engine.fault();
            return "this side aborted the connection with " + engine.peer() + " during its start-up"
                    + (fault == null ? "" : ": it failed with " + fault);
        } catch (Throwable e) {
            // There is no memory for a longer text, or the failure has no message.
            return "this side aborted a connection during its start-up";
        }
    }
}
