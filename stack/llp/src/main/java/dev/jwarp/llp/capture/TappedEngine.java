package dev.jwarp.llp.capture;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An engine whose traffic is captured. */
final class TappedEngine implements StreamEngine {
    private final StreamEngine engine;
    private final StreamDriver driver;
    private final PcapWriter writer;
    private final boolean initiator;

    private @Nullable PcapFlow flow;
    /** Bytes that are captured but that the driver has not written yet. */
    private long ahead;

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
        // A retried connection, or one with reused ports, is another connection in the capture.
        PcapFlow current = initiator
                ? writer.flow(driver.localAddress(), driver.remoteAddress())
                : writer.flow(driver.remoteAddress(), driver.localAddress());
        flow = current;
        current.tap(initiator);
        lastNanos = nowNanos;
        drained = false;
        ahead = 0;
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
    public int readQuota(int most, int reads) {
        return engine.readQuota(most, reads);
    }

    @Override
    public boolean endsTurn(int writes, boolean received) {
        return engine.endsTurn(writes, received);
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
        if (flow != null) {
            flow.reset(!initiator, nowNanos);
        }
        engine.onBroken(nowNanos);
    }

    /** Not captured. */
    @Override
    public void onTimedOut(long nowNanos) {
        lastNanos = nowNanos;
        engine.onTimedOut(nowNanos);
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        engine.onFault(cause, nowNanos);
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        lastNanos = nowNanos;
        drained = !engine.prepareOutput(nowNanos);
        if (!drained) {
            writeDown();
        }
        return !drained;
    }

    /** Before the driver writes, because an answer that another thread's tap sees must come later in the capture. */
    private void writeDown() {
        PcapFlow current = flow;
        if (current == null) {
            return;
        }
        int octets = 0;
        for (int i = 0; i < engine.outputCount(); i++) {
            octets += engine.output()[i].remaining();
        }
        if (octets > ahead) {
            ByteBuffer copy = ByteBuffer.allocate(octets);
            for (int i = 0; i < engine.outputCount(); i++) {
                copy.put(engine.output()[i].duplicate());
            }
            current.data(initiator, copy.flip().position((int) ahead), lastNanos);
            ahead = octets;
        }
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
    public boolean onWritten(long octets, long nowNanos) {
        lastNanos = nowNanos;
        ahead -= octets;
        drained = !engine.onWritten(octets, nowNanos);
        return !drained;
    }

    /** A driver acts on the result, so FIN and RST become visible here. */
    @Override
    public Ending ending() {
        Ending ending = engine.ending();
        if (flow != null && ending == Ending.ABORT) {
            flow.reset(initiator, lastNanos);
        } else if (flow != null && ending != Ending.OPEN && drained) {
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
