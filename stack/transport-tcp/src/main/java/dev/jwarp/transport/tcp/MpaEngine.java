package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.mpa.FpduBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * MPA over one byte stream, without the stream (RFC 5044, RFC 6581): start-up, FPDUs both ways, and the end. Octets come
 * in, octets go out, time is handed in; a driver owns the socket.
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
    private final OwnerCounters counters;
    private final StreamDriver driver;
    private final MpaConnection connection;
    private Phase phase;
    private Ending ending = Ending.OPEN;
    private boolean abortRequested;
    private boolean over;

    /** What is to be written: a start-up frame, or a batch, or nothing. */
    private final ByteBuffer[] frameOutput = new ByteBuffer[1];

    private boolean frameUnsent;
    private @Nullable FpduBatch batch;
    private long sendDeadline = NEVER;

    MpaEngine(MpaEngineFactory factory, StreamDriver driver, PhaseMaker firstPhase) {
        this.factory = factory;
        counters = factory.ownCounters();
        this.driver = driver;
        connection = new MpaConnection(this, driver);
        phase = firstPhase.make(this);
    }

    /** Makes the first phase of an engine. */
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
        // A phase that hands over to another may leave octets for it (MPA-7.1.2-12: FPDUs behind a Reply).
        while (!over && !abortRequested && in.hasRemaining()) {
            phase.receive(in, nowNanos);
        }
        in.position(in.limit());
    }

    @Override
    public void onInputClosed(long nowNanos) {
        if (!over && !abortRequested) {
            phase.onInputClosed(nowNanos);
        }
    }

    @Override
    public void onBroken(long nowNanos) {
        if (!over && !abortRequested) {
            phase.onBroken(nowNanos);
        }
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        if (over) {
            return false;
        }
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
        return batch == null ? frameOutput : batch.slices();
    }

    @Override
    public int outputCount() {
        if (batch != null) {
            batch.slices();
            return batch.sliceCount();
        }
        return frameUnsent ? 1 : 0;
    }

    @Override
    public void onWritten(long octets, long nowNanos) {
        if (over || octets == 0) {
            return;
        }
        counters.count(TcpCounter.WRITES);
        if (batch != null) {
            batch.written(octets);
        }
        phase.onProgress(nowNanos);
        boolean all = batch == null ? !frameOutput[0].hasRemaining() : batch.remaining() == 0;
        if (all) {
            dropOutput();
            phase.onTransmitted(nowNanos);
        } else {
            sendDeadline = nowNanos + factory.sendTimeout();
        }
    }

    @Override
    public Ending ending() {
        return ending;
    }

    @Override
    public long nextTimeout() {
        if (abortRequested && !over) {
            return AT_ONCE; // for a driver that has no reason to ask for output any more
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

    /** Goes on to another phase. */
    void become(Phase next) {
        phase = next;
    }

    /** Puts a start-up frame up for writing. */
    void send(ByteBuffer frame) {
        frameOutput[0] = frame;
        frameUnsent = true;
    }

    /** Puts a batch up for writing; it goes back to the pool afterwards. */
    void send(FpduBatch filled) {
        batch = filled;
    }

    /** All is written: the driver closes our direction of the stream. */
    void shutDownOutput() {
        ending = Ending.SHUT_DOWN_OUTPUT;
    }

    /** The driver drops this stream and connects another one. */
    void reconnect() {
        dropOutput();
        ending = Ending.RECONNECT;
    }

    /** The last thing: nothing is called any more, neither above nor below. */
    void end(Ending how) {
        over = true;
        ending = how;
        dropOutput();
        factory.batches().forget(driver);
    }

    boolean isOver() {
        return over;
    }

    boolean isAborting() {
        return abortRequested;
    }

    /** See {@link dev.jwarp.ddp.llp.LowerLayer#abort}: takes effect when the driver next looks, which is soon. */
    void abort() {
        if (!over) {
            abortRequested = true;
            driver.wakeup();
        }
    }

    /** {@return the peer's address, for a sentence} */
    String peer() {
        return Addresses.text(driver.remoteAddress());
    }

    boolean hasUnsent() {
        return frameUnsent || batch != null;
    }

    private void dropOutput() {
        sendDeadline = NEVER;
        frameUnsent = false;
        FpduBatch used = batch;
        if (used != null) {
            batch = null;
            factory.batches().release(used);
        }
    }
}
