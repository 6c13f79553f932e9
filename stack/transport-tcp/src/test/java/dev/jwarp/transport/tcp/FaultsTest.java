package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.FpduBatch;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two engines without sockets; each call out of one of them throws once. */
@DisplayName("An engine with a call that throws")
class FaultsTest {
    private static final StartParameters OFFER = new StartParameters(8, 8, new byte[0]);
    private static final int ULPDU = 5000;

    /** Octets received at a time, so that FPDUs have to be assembled. */
    private static final int PIECE = 1900;

    private long now = 1;

    /** A driver like the real ones: an exception of a call ends the stream of the call. */
    private final class End implements StreamDriver {
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private StreamEngine engine;
        private boolean shut;
        private boolean toldOfEnd;

        void guarded(Runnable call) {
            try {
                call.run();
            } catch (Throwable e) {
                engine.onFault(e, now);
            }
        }

        boolean over() {
            return engine.ending() == Ending.CLOSE || engine.ending() == Ending.ABORT;
        }

        void connected() {
            guarded(() -> engine.onConnected(now));
        }

        void look() {
            guarded(() -> {
                while (!over() && engine.prepareOutput(now)) {
                    long octets = 0;
                    for (int i = 0; i < engine.outputCount(); i++) {
                        ByteBuffer slice = engine.output()[i];
                        octets += slice.remaining();
                        while (slice.hasRemaining()) {
                            sent.write(slice.get());
                        }
                    }
                    engine.onWritten(octets, now);
                }
                shut |= engine.ending() == Ending.SHUT_DOWN_OUTPUT;
            });
        }

        /** Delivers the sent bytes and the end to the other side. */
        boolean deliverTo(End other) {
            byte[] octets = sent.toByteArray();
            sent.reset();
            for (int at = 0; at < octets.length && !other.over(); at += PIECE) {
                byte[] piece = Arrays.copyOfRange(octets, at, Math.min(octets.length, at + PIECE));
                other.guarded(() -> other.engine.receive(
                        ByteBuffer.allocateDirect(piece.length).put(piece).flip(), now));
            }
            boolean end = (shut || over()) && !toldOfEnd;
            toldOfEnd |= end;
            if (end && !other.over()) {
                other.guarded(() -> {
                    if (engine.ending() == Ending.ABORT) {
                        other.engine.onBroken(now);
                    } else {
                        other.engine.onInputClosed(now);
                    }
                });
            }
            return octets.length > 0 || end;
        }

        @Override
        public InetSocketAddress localAddress() {
            return TestDriver.LOCAL;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return TestDriver.REMOTE;
        }

        @Override
        public int effectiveMaximumSegmentSize() {
            return 1460;
        }

        @Override
        public void afterCall(AfterCalls.Task task) {
            throw new UnsupportedOperationException("no handler is tested here");
        }

        @Override
        public void wakeup() {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }

    private static MpaEngineFactory factory(Trips trips) {
        TcpSettings settings = TcpSettings.of(Map.of());
        Tally<TcpCounter> counters = new Tally<>(TcpCounter.class);
        return new MpaEngineFactory(
                settings,
                counters,
                octets -> {
                    trips.here();
                    return ByteBuffer.allocateDirect(octets);
                },
                () -> {
                    trips.here();
                    return new FpduBatch(FpduBatch.MIN_CAPACITY, 4096);
                });
    }

    /** Two sides, one of which may throw. */
    private final class Link {
        final End active = new End();
        final End passive = new End();
        final RecordingUpper activeUpper = new RecordingUpper();
        final RecordingUpper passiveUpper = new RecordingUpper() {
            @Override
            public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
                super.onUlpdu(buffer, offset, length, nowNanos);
                toSend.add(received.get(received.size() - 1));
            }
        };
        final RecordingHandler activeHandler = new RecordingHandler();
        final RecordingHandler passiveHandler = new RecordingHandler();

        Link(MpaEngineFactory actives, MpaEngineFactory passives, Trips trips, boolean tripActive) {
            UpperLayer upper = tripActive ? passiveUpper : trips.around(UpperLayer.class, passiveUpper);
            passiveHandler.onRequest = connection -> connection.accept(OFFER, upper);
            active.engine = actives.initiator(
                    tripActive ? trips.around(StreamDriver.class, active) : active,
                    OFFER,
                    TimeUnit.SECONDS.toNanos(10),
                    tripActive ? trips.around(UpperLayer.class, activeUpper) : activeUpper,
                    tripActive ? trips.around(ConnectionHandler.class, activeHandler) : activeHandler,
                    now);
            passive.engine = passives.responder(
                    tripActive ? passive : trips.around(StreamDriver.class, passive),
                    tripActive ? passiveHandler : trips.around(ConnectionHandler.class, passiveHandler),
                    now);
        }

        void connect() {
            active.connected();
            passive.connected();
            run();
        }

        void run() {
            boolean any = true;
            while (any) {
                now++;
                active.look();
                passive.look();
                any = active.deliverTo(passive);
                any |= passive.deliverTo(active);
            }
        }

        void send(int count) {
            for (int i = 0; i < count; i++) {
                activeUpper.toSend.add(new byte[ULPDU]);
            }
            run();
        }

        void close() {
            close(active, activeUpper);
            run();
            close(passive, passiveUpper);
            run();
        }

        private void close(End end, RecordingUpper upper) {
            if (upper.lower != null && !end.over()) {
                end.guarded(() -> ((LlpConnection) upper.lower).close());
            }
        }
    }

    private static long closed(RecordingUpper upper) {
        return upper.events.stream().filter(event -> event.startsWith("closed")).count();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends, reports its end, and returns its buffers to the pools; others continue")
    void everyCall(Trips.Kind kind) {
        int trips = 0;
        for (boolean tripActive : new boolean[] {true, false}) {
            for (boolean afterwards : new boolean[] {false, true}) {
                int at = 1;
                while (once(new Trips(at, afterwards, kind), tripActive, at)) {
                    at++;
                }
                trips += at;
            }
        }
        assertThat(trips).as("calls that were tried").isGreaterThan(80);
    }

    /** {@return whether it threw} */
    private boolean once(Trips trips, boolean tripActive, int at) {
        String what = (tripActive ? "active" : "passive") + " side, call " + at;
        trips.armed(false);
        Trips nothing = new Trips(Integer.MAX_VALUE, false, Trips.Kind.BUG);
        MpaEngineFactory actives = factory(tripActive ? trips : nothing);
        MpaEngineFactory passives = factory(tripActive ? nothing : trips);
        Link good = new Link(actives, passives, nothing, true);
        good.connect();
        good.send(1);
        Link bad = new Link(actives, passives, trips, tripActive);
        trips.armed(true);
        bad.connect();
        bad.send(3);
        bad.close();
        trips.armed(false);
        End tripped = tripActive ? bad.active : bad.passive;
        RecordingUpper upper = tripActive ? bad.activeUpper : bad.passiveUpper;
        RecordingHandler handler = tripActive ? bad.activeHandler : bad.passiveHandler;
        assertThat(tripped.over()).as(what + " is over").isTrue();
        if (upper.lower != null) {
            assertThat(closed(upper)).as(what + ": the layer above was told").isBetween(1L, 2L);
        }
        assertThat(handler.events.size() + upper.events.size()).as(what).isPositive();
        bad.run();
        bad.close();
        good.send(2);
        assertThat(good.activeUpper.received).as(what + ": good connection").hasSize(3);
        assertThat(actives.batchesInUse()).as(what + ": send buffers").isZero();
        assertThat(passives.batchesInUse()).as(what + ": send buffers").isZero();
        assertThat(actives.reassemblyOctets()).as(what + ": reassembly").isZero();
        assertThat(passives.reassemblyOctets()).as(what + ": reassembly").isZero();
        good.close();
        assertThat(good.activeUpper.events).as(what).contains("closed GRACEFUL");
        return trips.tripped();
    }

    @Test
    @DisplayName("ends and reports it, even if the cause has no usable message")
    void causeWithoutWords() {
        Trips nothing = new Trips(Integer.MAX_VALUE, false, Trips.Kind.BUG);
        Link link = new Link(factory(nothing), factory(nothing), nothing, true);
        Throwable thrown = new IllegalStateException() {
            @Override
            public String getMessage() {
                throw new OutOfMemoryError("thrown by a test");
            }
        };
        for (End end : List.of(link.active, link.passive)) {
            end.engine.onFault(thrown, now);
            assertThat(end.over()).isTrue();
        }
        String sentence = "this side aborted a connection during its start-up";
        assertThat(link.activeHandler.sentences).containsExactly(sentence);
        assertThat(link.passiveHandler.sentences).containsExactly(sentence);
    }

    @Test
    @DisplayName("reports the cause to the layer above")
    void cause() {
        Trips nothing = new Trips(Integer.MAX_VALUE, false, Trips.Kind.BUG);
        Link link = new Link(factory(nothing), factory(nothing), nothing, true);
        link.connect();
        Throwable thrown = new InternalError("as if a mapped file had been cut short");
        link.passive.engine.onFault(thrown, now);
        assertThat(link.passiveUpper.events).endsWith("fault " + thrown, "closed ABORTED");
        assertThat(Objects.requireNonNull(link.passive.engine).ending()).isEqualTo(Ending.ABORT);
    }
}
