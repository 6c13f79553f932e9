package dev.jwarp.sim;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.UpperLayer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One side of a byte stream without a protocol: it sends given bytes and drops received ones. It is its own factory,
 * for one stream; its methods as a connection are not supported. Owner thread only.
 */
public class RawEnd implements StreamEngine, StreamEngineFactory, LlpConnection {
    private final ArrayDeque<ByteBuffer> output = new ArrayDeque<>();
    private @Nullable StreamDriver driver;
    private Ending ending = Ending.OPEN;

    /** Creates a side without a stream. */
    public RawEnd() {}

    private StreamDriver driver() {
        return Objects.requireNonNull(driver, "there is no connection yet");
    }

    /** Adds bytes, which the next {@link #flush} sends together. */
    public final void send(byte[] octets) {
        output.add(ByteBuffer.wrap(octets));
    }

    /** Sends the added bytes. */
    public final void flush() {
        driver().wakeup();
    }

    /** Closes the stream after the added bytes. */
    public final void end(Ending how) {
        ending = how;
        driver().wakeup();
    }

    @Override
    public final void afterCall(AfterCalls.Task task) {
        driver().afterCall(task);
    }

    // ---- as an engine

    @Override
    public final StreamEngine initiator(
            StreamDriver under,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler,
            long nowNanos) {
        driver = under;
        return this;
    }

    @Override
    public final StreamEngine responder(StreamDriver under, ConnectionHandler handler, long nowNanos) {
        driver = under;
        return this;
    }

    @Override
    public final LlpConnection connection() {
        return this;
    }

    @Override
    public void onConnected(long nowNanos) {}

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        throw new IllegalStateException(sentence);
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        in.position(in.limit());
    }

    @Override
    public void onInputClosed(long nowNanos) {}

    @Override
    public void onBroken(long nowNanos) {}

    @Override
    public final void onFault(Throwable cause, long nowNanos) {
        throw new IllegalStateException("its driver failed", cause);
    }

    @Override
    public final boolean prepareOutput(long nowNanos) {
        return !output.isEmpty();
    }

    @Override
    public final ByteBuffer[] output() {
        return output.toArray(new ByteBuffer[0]);
    }

    @Override
    public final int outputCount() {
        return output.size();
    }

    @Override
    public final boolean onWritten(long octets, long nowNanos) {
        output.removeIf(buffer -> !buffer.hasRemaining());
        return !output.isEmpty();
    }

    @Override
    public final Ending ending() {
        return ending;
    }

    @Override
    public final long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public final void onTimeout(long nowNanos) {}

    // ---- as a connection

    @Override
    public final InetSocketAddress localAddress() {
        return driver().localAddress();
    }

    @Override
    public final InetSocketAddress remoteAddress() {
        return driver().remoteAddress();
    }

    @Override
    public final void accept(StartParameters reply, UpperLayer upper) {}

    @Override
    public final void reject(byte[] privateData) {}

    @Override
    public final void execute(Runnable task) {
        driver().execute(task);
    }

    @Override
    public final int mulpdu() {
        return 0;
    }

    @Override
    public final boolean ordered() {
        return true;
    }

    @Override
    public final void doorbell() {}

    @Override
    public final void close() {}

    @Override
    public final void abort() {}
}
