package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.UpperLayer;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The other end of a packet script: sends the octets it is told to, and keeps what comes, cut into frames. */
final class ScriptedPeer implements StreamEngine, StreamEngineFactory, LlpConnection {
    /** Something that came. */
    record Item(String what, long nanos, byte[] octets) {}

    final ArrayDeque<Item> items = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> output = new ArrayDeque<>();
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();
    private @Nullable StreamDriver driver;
    private boolean started;
    private Ending ending = Ending.OPEN;

    boolean connected;

    private StreamDriver driver() {
        if (driver == null) {
            throw new IllegalStateException("There is no connection yet");
        }
        return driver;
    }

    /** Leaves octets to be sent; they go out together with the next {@link #flush}. */
    void send(byte[] octets) {
        output.add(ByteBuffer.wrap(octets));
    }

    void flush() {
        driver().wakeup();
    }

    void end(Ending how) {
        ending = how;
        driver().wakeup();
    }

    // ---- what the network asks

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
    public void onConnected(long nowNanos) {
        connected = true;
    }

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        items.add(new Item("refused", nowNanos, new byte[0]));
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        byte[] some = new byte[in.remaining()];
        in.get(some);
        input.writeBytes(some);
        byte[] all = input.toByteArray();
        int length = frameLength(all);
        while (length > 0) {
            items.add(new Item(started ? "fpdu" : "start", nowNanos, Arrays.copyOf(all, length)));
            started = true;
            all = Arrays.copyOfRange(all, length, all.length);
            length = frameLength(all);
        }
        input.reset();
        input.writeBytes(all);
    }

    private int frameLength(byte[] octets) {
        return started ? ScriptFrames.fpduLength(octets) : ScriptFrames.startFrameLength(octets);
    }

    @Override
    public void onInputClosed(long nowNanos) {
        items.add(new Item("fin", nowNanos, input.toByteArray()));
    }

    @Override
    public void onBroken(long nowNanos) {
        items.add(new Item("rst", nowNanos, input.toByteArray()));
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        throw new AssertionError(cause);
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

    // ---- as a connection it is of no use to anybody

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
