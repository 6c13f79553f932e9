package dev.jwarp.ddp.llp.sim;

import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An engine whose octets are written down on their way. */
final class TappedEngine implements StreamEngine {
    private final StreamEngine engine;
    private final StreamDriver driver;
    private final PcapWriter writer;
    private final boolean initiator;

    private @Nullable PcapFlow flow;
    /** What the engine has prepared and the driver has not yet written: a driver moves the positions of the original. */
    private ByteBuffer prepared = ByteBuffer.allocate(0);
    /** What the driver has written of one write of the engine. */
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private boolean drained;
    private long lastNanos;

    TappedEngine(StreamEngine engine, StreamDriver driver, PcapWriter writer, boolean initiator) {
        this.engine = engine;
        this.driver = driver;
        this.writer = writer;
        this.initiator = initiator;
    }

    @Override
    public LlpConnection connection() {
        return engine.connection();
    }

    @Override
    public void onConnected(long nowNanos) {
        // A connection that was tried again, or whose ports were used before, is another one on the wire.
        PcapFlow current = initiator
                ? writer.flow(driver.localAddress(), driver.remoteAddress())
                : writer.flow(driver.remoteAddress(), driver.localAddress());
        flow = current;
        current.tap(initiator);
        lastNanos = nowNanos;
        drained = false;
        prepared.limit(prepared.position());
        written.reset();
        current.open(nowNanos);
        engine.onConnected(nowNanos);
    }

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        engine.onConnectFailed(failure, sentence, nowNanos);
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        lastNanos = nowNanos;
        if (flow != null && !flow.isTapped(!initiator)) {
            flow.data(!initiator, in, nowNanos);
        }
        engine.receive(in, nowNanos);
    }

    @Override
    public void onInputClosed(long nowNanos) {
        lastNanos = nowNanos;
        if (flow != null) {
            flow.finish(!initiator, nowNanos);
        }
        engine.onInputClosed(nowNanos);
    }

    @Override
    public void onBroken(long nowNanos) {
        lastNanos = nowNanos;
        flush();
        if (flow != null) {
            flow.reset(!initiator, nowNanos);
        }
        engine.onBroken(nowNanos);
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        lastNanos = nowNanos;
        drained = !engine.prepareOutput(nowNanos);
        if (!drained) {
            copyOutput();
        }
        return !drained;
    }

    private void copyOutput() {
        int octets = 0;
        for (int i = 0; i < engine.outputCount(); i++) {
            octets += engine.output()[i].remaining();
        }
        prepared = ByteBuffer.allocate(octets);
        for (int i = 0; i < engine.outputCount(); i++) {
            prepared.put(engine.output()[i].duplicate());
        }
        prepared.flip();
    }

    @Override
    public ByteBuffer[] output() {
        return engine.output();
    }

    @Override
    public int outputCount() {
        return engine.outputCount();
    }

    @Override
    public void onWritten(long octets, long nowNanos) {
        lastNanos = nowNanos;
        int length = (int) Math.min(octets, prepared.remaining());
        written.write(prepared.array(), prepared.position(), length);
        prepared.position(prepared.position() + length);
        if (!prepared.hasRemaining() || written.size() >= PcapWriter.LARGEST_PAYLOAD) {
            flush();
        }
        engine.onWritten(octets, nowNanos);
    }

    private void flush() {
        if (flow != null && written.size() > 0) {
            flow.data(initiator, ByteBuffer.wrap(written.toByteArray()), lastNanos);
        }
        written.reset();
    }

    /** A driver asks to act upon the answer: so this is where FIN and RST become visible. */
    @Override
    public Ending ending() {
        Ending ending = engine.ending();
        if (flow != null && ending == Ending.ABORT) {
            flush();
            flow.reset(initiator, lastNanos);
        } else if (flow != null && ending != Ending.OPEN && drained) {
            flush();
            flow.finish(initiator, lastNanos);
        }
        return ending;
    }

    @Override
    public long nextTimeout() {
        return engine.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        lastNanos = nowNanos;
        engine.onTimeout(nowNanos);
    }
}
