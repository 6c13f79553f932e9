package dev.jwarp.transport.tcp;

import dev.jwarp.base.HostPort;
import dev.jwarp.base.SourceKey;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * MPA over one byte stream, without input and output (RFC 5044, RFC 6581): start-up, FPDUs in both directions, and the
 * end. The driver owns the socket and passes in octets and the time.
 *
 * <pre>
 *   InitiatorStart ──┐
 *                    ├──► FullOperation ──► over
 *   ResponderStart ──┤
 *                    └──► Leaving ────────► over
 * </pre>
 *
 * <p>One thread at a time, the owner of its factory. No call blocks; in full operation none allocates.
 */
public final class MpaEngine implements StreamEngine {
    static final long NEVER = Long.MAX_VALUE;
    static final long AT_ONCE = Long.MIN_VALUE;

    private final MpaEngineFactory factory;
    private final Tally<TcpCounter> counters;
    private final StreamDriver driver;
    private final MpaConnection connection;
    private Phase phase;
    private Ending ending = Ending.OPEN;
    private boolean abortRequested;
    private boolean over;

    /** The local failure that ended the stream. */
    private @Nullable Throwable fault;

    private final Output output = new Output(this);
    private final ReadTurn turn;
    private long sendDeadline = NEVER;

    MpaEngine(MpaEngineFactory factory, StreamDriver driver, PhaseMaker firstPhase) {
        this.factory = factory;
        counters = factory.ownCounters();
        this.driver = driver;
        connection = new MpaConnection(this, driver);
        turn = new ReadTurn(factory.turns());
        phase = firstPhase.make(this);
    }

    /** Creates the first phase of an engine. */
    interface PhaseMaker {
        Phase make(MpaEngine engine);
    }

    @Override
    public LlpConnection connection() {
        return connection;
    }

    @Override
    public void onConnected(long nowNanos) {
        ending = Ending.OPEN;
        phase.onConnected(nowNanos);
    }

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        if (!over && !abortRequested) {
            phase.onConnectFailed(failure, sentence);
        }
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        counters.count(TcpCounter.READS);
        int octets = in.remaining();
        // A phase may leave octets for the next phase (MPA-7.1.2-12: FPDUs after a Reply).
        while (!over && !abortRequested && in.hasRemaining()) {
            phase.receive(in, nowNanos);
        }
        in.position(in.limit());
        turn.done(octets);
        phase.settled();
    }

    @Override
    public int readQuota(int most, int reads) {
        return turn.quota(most, reads);
    }

    @Override
    public boolean endsTurn(int writes, boolean received) {
        return writes > 0 && writes >= factory.turns().writes(received ? 1 : turn.weight()) && wantsOutput();
    }

    private boolean wantsOutput() {
        return !over && (abortRequested || hasUnsent() || phase.wantsOutput());
    }

    /** {@return the receive turns of this connection} */
    ReadTurn turn() {
        return turn;
    }

    @Override
    public void onInputClosed(long nowNanos) {
        if (!over && !abortRequested) {
            phase.onInputClosed(nowNanos);
            phase.settled();
        }
    }

    @Override
    public void onBroken(long nowNanos) {
        if (!over && !abortRequested) {
            phase.onBroken(nowNanos);
            phase.settled();
        }
    }

    @Override
    public void onTimedOut(long nowNanos) {
        if (!over && !abortRequested) {
            counters.count(TcpCounter.PEER_TIMED_OUT);
            phase.onTimedOut(nowNanos);
            phase.settled();
        }
    }

    @Override
    @SuppressWarnings("CatchingUnchecked") // no exception may escape
    public void onFault(Throwable cause, long nowNanos) {
        if (over) {
            return; // the end has been reported to all layers
        }
        fault = cause;
        abortRequested = true;
        try {
            phase.onAborted(nowNanos);
        } catch (Throwable again) {
            fault = again;
        } finally {
            over = true;
            ending = Ending.ABORT;
        }
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        if (over) {
            return false;
        }
        boolean prepared = prepare(nowNanos);
        phase.settled();
        return prepared;
    }

    private boolean prepare(long nowNanos) {
        if (abortRequested) {
            phase.onAborted(nowNanos);
            return false;
        }
        phase.onLook(nowNanos);
        if (hasUnsent()) {
            return true;
        }
        phase.prepare(nowNanos);
        if (over || !hasUnsent()) {
            return false;
        }
        sendDeadline = nowNanos + factory.sendTimeout();
        return true;
    }

    @Override
    public ByteBuffer[] output() {
        return output.buffers();
    }

    @Override
    public int outputCount() {
        return output.count();
    }

    @Override
    public boolean onWritten(long octets, long nowNanos) {
        if (over || octets == 0 || output.isEmpty()) {
            return true;
        }
        counters.count(TcpCounter.WRITES);
        turn.work();
        boolean all = output.written(octets, nowNanos);
        phase.onProgress(nowNanos);
        if (all) {
            dropOutput();
            phase.onTransmitted(nowNanos);
        } else {
            sendDeadline = nowNanos + factory.sendTimeout();
        }
        phase.settled();
        return wantsOutput();
    }

    @Override
    public Ending ending() {
        return ending;
    }

    @Override
    public long nextTimeout() {
        if (abortRequested && !over) {
            return AT_ONCE; // for a driver that no longer polls for output
        }
        return over ? NEVER : Math.min(sendDeadline, phase.nextTimeout());
    }

    @Override
    public void onTimeout(long nowNanos) {
        if (over) {
            return;
        }
        if (abortRequested) {
            phase.onAborted(nowNanos);
        } else if (nowNanos >= sendDeadline) {
            phase.onSendTimeout(nowNanos);
        } else {
            phase.onTimeout(nowNanos);
        }
        phase.settled();
    }

    MpaEngineFactory factory() {
        return factory;
    }

    StreamDriver driver() {
        return driver;
    }

    Phase phase() {
        return phase;
    }

    /** Changes to another phase. */
    void become(Phase next) {
        phase = next;
    }

    /** Sets a start-up frame to be written. */
    void send(ByteBuffer frame) {
        output.frame(frame);
    }

    /** {@return the output of this connection} */
    Output out() {
        return output;
    }

    /** {@return the peer's source, for shared limits} */
    long source() {
        return SourceKey.of(driver.remoteAddress());
    }

    /** {@return whether the peer has accepted nothing for {@code nanos}} */
    boolean isStalled(long nanos, long nowNanos) {
        return sendDeadline != NEVER && nowNanos - (sendDeadline - factory.sendTimeout()) >= nanos;
    }

    /** All output is written: the driver closes our direction of the stream. */
    void shutDownOutput() {
        ending = Ending.SHUT_DOWN_OUTPUT;
    }

    /** The driver drops this stream and connects another one. */
    void reconnect() {
        dropOutput();
        ending = Ending.RECONNECT;
    }

    /** Ends the engine: no layer above or below is called afterwards. */
    void end(Ending how) {
        over = true;
        ending = how;
        sendDeadline = NEVER;
        output.leave();
    }

    boolean isOver() {
        return over;
    }

    boolean isAborting() {
        return abortRequested;
    }

    /** {@return the local failure that ended the stream; null if there is none} */
    @Nullable
    Throwable fault() {
        return fault;
    }

    /** See {@link dev.jwarp.llp.LowerLayer#abort}: takes effect at the driver's next call, which is soon. */
    void abort() {
        if (!over) {
            abortRequested = true;
            driver.wakeup();
        }
    }

    /** {@return the peer's address, for messages} */
    String peer() {
        return HostPort.text(driver.remoteAddress());
    }

    boolean hasUnsent() {
        return !output.isEmpty();
    }

    private void dropOutput() {
        sendDeadline = NEVER;
        output.drop();
    }
}
