package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Share;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.UpperLayer;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A driver without a socket: the test is the peer, and advances the clock. */
final class TestDriver implements StreamDriver {
    static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4791);
    static final InetSocketAddress REMOTE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);

    final MpaEngineFactory factory;
    final StreamEngine engine;
    final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    /** Number of writes of the engine's output. */
    int writes;

    /** Octets that the peer's TCP still accepts. */
    long window = Long.MAX_VALUE;

    /** Maximum octets of one write. */
    int writeLimit = Integer.MAX_VALUE;

    long now = 1_000_000_000L;
    int emss = 1460;
    /** TCP's unsent octets as reported to the engine. */
    java.util.function.IntSupplier unsent = () -> -1;

    int wakeups;

    /** The requested keep-alive; null before a request. */
    KeepAliveTimes keepAlive;

    InetSocketAddress remote = REMOTE;

    private TestDriver(MpaEngineFactory factory, java.util.function.Function<TestDriver, StreamEngine> maker) {
        this.factory = factory;
        engine = maker.apply(this);
    }

    /**
     * Takes all memory for unread octets, so that no stalled connection can return its send buffer.
     *
     * @return the holder of the memory
     */
    static List<Share> exhaustStalled(MpaEngineFactory engines) {
        List<Share> all = new ArrayList<>();
        boolean any = true;
        for (int source = 1; any; source++) {
            Share share = engines.stalled().join(source, nowNanos -> {}, 0);
            all.add(share);
            any = false;
            while (share.take(1024, 0)) {
                any = true;
            }
        }
        return all;
    }

    /** An initiator, its TCP connected and its Request sent. */
    static TestDriver initiator(
            MpaEngineFactory factory, StartParameters offer, UpperLayer upper, ConnectionHandler handler) {
        TestDriver driver = connecting(factory, offer, upper, handler);
        driver.connected();
        return driver;
    }

    /** An initiator whose TCP is not connected yet; it has ten seconds. */
    static TestDriver connecting(
            MpaEngineFactory factory, StartParameters offer, UpperLayer upper, ConnectionHandler handler) {
        return new TestDriver(
                factory,
                driver -> factory.initiator(driver, offer, TimeUnit.SECONDS.toNanos(10), upper, handler, driver.now));
    }

    static TestDriver responder(MpaEngineFactory factory, ConnectionHandler handler) {
        TestDriver driver = new TestDriver(factory, self -> factory.responder(self, handler, self.now));
        driver.connected();
        return driver;
    }

    static MpaEngineFactory factory(String... keysAndValues) {
        java.util.Map<String, String> settings = new java.util.HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return new MpaEngineFactory(TcpSettings.of(settings), new Tally<>(TcpCounter.class));
    }

    LlpConnection connection() {
        return engine.connection();
    }

    Ending ending() {
        return engine.ending();
    }

    void connected() {
        engine.onConnected(now);
        pump();
    }

    /** Receives bytes of the peer, in one piece. */
    void feed(byte[] octets) {
        feed(ByteBuffer.allocate(octets.length).put(octets).flip());
    }

    void feed(ByteBuffer octets) {
        engine.receive(octets, now);
        if (octets.hasRemaining()) {
            throw new AssertionError("the engine left " + octets.remaining() + " bytes");
        }
        pump();
    }

    void feedHex(String hex) {
        feed(HexFormat.of().parseHex(hex));
    }

    /** The peer's FIN. */
    void fin() {
        engine.onInputClosed(now);
        pump();
    }

    /** The peer's RST. */
    void reset() {
        engine.onBroken(now);
        pump();
    }

    /** The system times out the peer. */
    void timedOut() {
        engine.onTimedOut(now);
        pump();
    }

    /** Advances the time, and fires the engine's timers. */
    void advance(long millis) {
        long until = now + TimeUnit.MILLISECONDS.toNanos(millis);
        for (int i = 0; engine.nextTimeout() <= until; i++) {
            if (i > 1000) {
                throw new AssertionError("the engine asks for the same timeout again and again");
            }
            now = Math.max(now, engine.nextTimeout());
            engine.onTimeout(now);
            pump();
        }
        now = until;
    }

    /** Writes all output. */
    void pump() {
        while (window > 0 && engine.prepareOutput(now)) {
            long written = write();
            if (!engine.onWritten(written, now)) {
                Ending ending = engine.ending();
                assertThat(engine.prepareOutput(now))
                        .as("output after onWritten reported none")
                        .isFalse();
                assertThat(engine.ending())
                        .as("the end, of which onWritten reported nothing")
                        .isEqualTo(ending);
                break;
            }
        }
        if (window == 0) {
            engine.prepareOutput(now); // a driver calls this even if the socket accepts nothing
        }
    }

    private long write() {
        writes++;
        long written = 0;
        for (int i = 0; i < engine.outputCount(); i++) {
            ByteBuffer buffer = engine.output()[i];
            while (buffer.hasRemaining() && window > 0 && written < writeLimit) {
                sent.write(buffer.get());
                window--;
                written++;
            }
        }
        return written;
    }

    /** {@return the bytes sent since the last call, as hex} */
    String takeHex() {
        return HexFormat.of().formatHex(take());
    }

    byte[] take() {
        byte[] octets = sent.toByteArray();
        sent.reset();
        return octets;
    }

    @Override
    public InetSocketAddress localAddress() {
        return LOCAL;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) {
        keepAlive = wanted;
    }

    @Override
    public int effectiveMaximumSegmentSize() {
        return emss;
    }

    @Override
    public int unsentOctets(int segment) {
        return unsent.getAsInt();
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void wakeup() {
        wakeups++;
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }
}
