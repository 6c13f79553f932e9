package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.UpperLayer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An end of a byte stream that sends the octets it is told to, and reads whatever comes. */
final class RawPeer implements StreamEngine, StreamEngineFactory, LlpConnection {
    private final ArrayDeque<ByteBuffer> output = new ArrayDeque<>();
    private @Nullable StreamDriver driver;
    private Ending ending = Ending.OPEN;

    void send(byte[] octets) {
        output.add(ByteBuffer.wrap(octets));
        driver().wakeup();
    }

    void end(Ending how) {
        ending = how;
        driver().wakeup();
    }

    private StreamDriver driver() {
        return Objects.requireNonNull(driver, "not connected");
    }

    @Override
    public StreamEngine initiator(
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
    public StreamEngine responder(StreamDriver under, ConnectionHandler handler, long nowNanos) {
        driver = under;
        return this;
    }

    @Override
    public LlpConnection connection() {
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
    public void onFault(Throwable cause, long nowNanos) {
        throw new IllegalStateException("its driver failed", cause);
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        return !output.isEmpty();
    }

    @Override
    public ByteBuffer[] output() {
        return output.toArray(new ByteBuffer[0]);
    }

    @Override
    public int outputCount() {
        return output.size();
    }

    @Override
    public void onWritten(long octets, long nowNanos) {
        output.removeIf(buffer -> !buffer.hasRemaining());
    }

    @Override
    public Ending ending() {
        return ending;
    }

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}

    @Override
    public InetSocketAddress localAddress() {
        return driver().localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return driver().remoteAddress();
    }

    @Override
    public void accept(StartParameters reply, UpperLayer upper) {}

    @Override
    public void reject(byte[] privateData) {}

    @Override
    public void execute(Runnable task) {
        driver().execute(task);
    }

    @Override
    public int mulpdu() {
        return 0;
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public void doorbell() {}

    @Override
    public void close() {}

    @Override
    public void abort() {}
}
