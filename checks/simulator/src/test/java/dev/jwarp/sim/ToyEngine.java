package dev.jwarp.sim;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A minimal protocol that uses all functions of a driver: a start frame in each direction, then ULPDUs behind their
 * length. Start frame: kind ('Q' request, 'A' accept, 'R' reject, 'N' connect again on a new connection), length,
 * private data.
 */
final class ToyEngine implements StreamEngine, LlpConnection, UlpduWriter {
    static final long LINGER_NANOS = 5_000_000;
    private static final int MULPDU = 200;

    static final StreamEngineFactory FACTORY = new StreamEngineFactory() {
        @Override
        public StreamEngine initiator(
                StreamDriver driver,
                StartParameters offer,
                long timeoutNanos,
                UpperLayer upper,
                ConnectionHandler handler,
                long nowNanos) {
            ToyEngine engine = new ToyEngine(driver, handler, true);
            engine.upper = upper;
            engine.offer = offer;
            engine.deadline = nowNanos + timeoutNanos;
            return engine;
        }

        @Override
        public StreamEngine responder(StreamDriver driver, ConnectionHandler handler, long nowNanos) {
            return new ToyEngine(driver, handler, false);
        }
    };

    private final StreamDriver driver;
    private final ConnectionHandler handler;
    private final boolean initiator;
    private final ByteBuffer carried = ByteBuffer.allocate(4_096);
    private final ByteBuffer output = ByteBuffer.allocate(4_096);
    private final ByteBuffer[] outputs = {output};
    private StartParameters offer = new StartParameters(-1, -1, new byte[0]);
    private UpperLayer upper;
    private boolean established;
    private boolean closing;
    private boolean inputClosed;
    private boolean over;
    private Ending ending = Ending.OPEN;
    private long deadline = Long.MAX_VALUE;

    private ToyEngine(StreamDriver driver, ConnectionHandler handler, boolean initiator) {
        this.driver = driver;
        this.handler = handler;
        this.initiator = initiator;
        output.limit(0);
    }

    @Override
    public LlpConnection connection() {
        return this;
    }

    @Override
    public void onConnected(long nowNanos) {
        ending = Ending.OPEN;
        if (initiator) {
            startFrame('Q', offer.privateData());
        }
    }

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        over = true;
        handler.onFailed(this, failure, sentence);
    }

    private void startFrame(char kind, byte[] privateData) {
        output.compact()
                .put((byte) kind)
                .put((byte) privateData.length)
                .put(privateData)
                .flip();
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        while (in.hasRemaining()) {
            carried.put(in.get());
            if (!over) {
                step(nowNanos);
            }
        }
    }

    private void step(long nowNanos) {
        if (carried.position() < 2) {
            return;
        }
        int length = established ? carried.getShort(0) : carried.get(1);
        if (length < 0 || length > MULPDU) {
            // Bits were flipped in the network.
            onBroken(nowNanos);
            return;
        }
        if (carried.position() < 2 + length) {
            return;
        }
        if (established) {
            upper.onUlpdu(carried, 2, length, nowNanos);
        } else {
            byte[] privateData = new byte[length];
            carried.get(2, privateData);
            start((char) carried.get(0), new StartParameters(-1, -1, privateData), nowNanos);
        }
        carried.clear();
    }

    private void start(char kind, StartParameters peer, long nowNanos) {
        if (initiator == (kind == 'Q')) { // a flipped bit turns a Request into an answer
            fail(LlpFailure.BAD_START_FRAME, nowNanos);
            return;
        }
        switch (kind) {
            case 'Q' -> handler.onRequest(this, peer);
            case 'A' -> establish(nowNanos, peer);
            case 'N' -> ending = Ending.RECONNECT;
            case 'R' -> {
                over = true;
                ending = Ending.CLOSE;
                handler.onRejected(this, peer);
            }
            default -> fail(LlpFailure.BAD_START_FRAME, nowNanos);
        }
    }

    private void establish(long nowNanos, StartParameters peer) {
        established = true;
        deadline = Long.MAX_VALUE;
        upper.onEstablished(this, new LlpAgreement(initiator, 0, 0, ReadyToReceive.NONE), nowNanos);
        handler.onEstablished(this, peer);
    }

    @Override
    public void accept(StartParameters reply, UpperLayer newUpper) {
        upper = newUpper;
        startFrame('A', reply.privateData());
        establish(0, offer);
        driver.wakeup();
    }

    @Override
    public void reject(byte[] privateData) {
        answer('R', privateData);
    }

    /** Asks the initiator to connect again. */
    void comeAgain() {
        answer('N', new byte[0]);
    }

    /** Closes both directions without waiting for the peer. */
    void leave() {
        over = true;
        ending = Ending.CLOSE;
        driver.wakeup();
    }

    private void answer(char kind, byte[] privateData) {
        startFrame(kind, privateData);
        leave();
    }

    @Override
    public void onInputClosed(long nowNanos) {
        inputClosed = true;
        if (!established) {
            fail(LlpFailure.CLOSED_BY_PEER, nowNanos);
        } else if (ending == Ending.SHUT_DOWN_OUTPUT) {
            end(carried.position() > 0 ? LlpEnd.TRUNCATED : LlpEnd.GRACEFUL, Ending.CLOSE, nowNanos);
        } else {
            upper.onPeerClosed(nowNanos);
        }
    }

    @Override
    public void onBroken(long nowNanos) {
        if (established) {
            end(LlpEnd.RESET, Ending.ABORT, nowNanos);
        } else {
            fail(LlpFailure.CLOSED_BY_PEER, nowNanos);
        }
    }

    private void fail(LlpFailure failure, long nowNanos) {
        if (!over) {
            over = true;
            ending = Ending.ABORT;
            handler.onFailed(this, failure, "start-up with " + remoteAddress() + " failed at " + nowNanos);
        }
    }

    private void end(LlpEnd end, Ending last, long nowNanos) {
        if (!over) {
            over = true;
            ending = last;
            upper.onClosed(end, nowNanos);
        }
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        onBroken(nowNanos);
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        while (established
                && !over
                && output.capacity() - output.remaining() > 2 * MULPDU
                && upper.pollUlpdu(this, nowNanos)) {
            // as many as fit
        }
        if (!output.hasRemaining() && closing && ending == Ending.OPEN) {
            ending = Ending.SHUT_DOWN_OUTPUT;
            deadline = nowNanos + LINGER_NANOS;
            if (inputClosed) {
                end(LlpEnd.GRACEFUL, Ending.CLOSE, nowNanos);
            }
        }
        return output.hasRemaining();
    }

    @Override
    public ByteBuffer[] output() {
        return outputs;
    }

    @Override
    public int outputCount() {
        return 1;
    }

    @Override
    public boolean onWritten(long octets, long nowNanos) {
        if (!output.hasRemaining() && established && !over) {
            upper.onTransmitted(nowNanos);
        }
        return true;
    }

    @Override
    public Ending ending() {
        return ending;
    }

    @Override
    public long nextTimeout() {
        return over ? Long.MAX_VALUE : deadline;
    }

    @Override
    public void onTimeout(long nowNanos) {
        if (established) {
            end(LlpEnd.LINGER_EXPIRED, Ending.ABORT, nowNanos);
        } else {
            fail(LlpFailure.TIMED_OUT, nowNanos);
        }
    }

    @Override
    public int begin(int headerLength, int payloadLength) {
        output.compact().putShort((short) (headerLength + payloadLength));
        int at = output.position();
        output.position(at + headerLength);
        return at;
    }

    @Override
    public ByteBuffer buffer() {
        return output;
    }

    @Override
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {
        output.put(output.position(), source, offset, length).position(output.position() + length);
    }

    @Override
    public void end() {
        output.flip();
    }

    @Override
    public int mulpdu() {
        return MULPDU;
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void doorbell() {
        driver.wakeup();
    }

    @Override
    public void close() {
        closing = true;
        driver.wakeup();
    }

    @Override
    public void abort() {
        if (established) {
            end(LlpEnd.ABORTED, Ending.ABORT, 0);
        } else {
            fail(LlpFailure.LOCAL, 0);
        }
        driver.wakeup();
    }

    @Override
    public InetSocketAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return driver.remoteAddress();
    }

    @Override
    public void execute(Runnable task) {
        driver.execute(task);
    }
}
