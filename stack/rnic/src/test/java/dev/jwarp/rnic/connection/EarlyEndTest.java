package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.RnicProvider;
import dev.jwarp.rnic.World;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Calls of another thread while connect is in the transport:")
class EarlyEndTest {
    private static final int PORT = 7;

    private final SimNetwork network = new SimNetwork(42);
    private final long soon = network.clock().nowNanos() + TimeUnit.SECONDS.toNanos(1);
    private Consumer<Endpoint> meanwhile = side -> {};
    private Runnable afterwards = () -> {};

    private SimTransport host(int number) throws UnknownHostException {
        return network.host(
                InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number}),
                new MpaEngineFactory(TcpSettings.of(Map.of()), new Tally<>(TcpCounter.class)));
    }

    private Context open(Transport transport) {
        return new RnicProvider()
                .rnic()
                .open(transport, () -> network.clock().nowNanos(), new SplittableRandom(42), Map.of());
    }

    /** Connects to a listener that never answers; {@link #meanwhile} happens inside the transport's connect. */
    private Endpoint connect() throws UnknownHostException {
        Endpoint[] side = new Endpoint[1];
        SimTransport own = host(2);
        Transport watched = (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("connect")) {
                        meanwhile.accept(side[0]);
                    }
                    try {
                        Object result = method.invoke(own, arguments);
                        if (method.getName().equals("connect")) {
                            afterwards.run();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Context listening = open(host(1));
        var listener = listening.createId(listening.createEventChannel());
        listener.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), PORT));
        listener.listen(0);
        World world = World.of(World.Kind.SIMULATED);
        Endpoint active = Connected.endpoint(world, open(watched));
        side[0] = active;
        active.id.resolveAddress(null, listener.localAddress());
        active.event(CmEventType.ADDR_RESOLVED);
        active.receive(1, 0, 8);
        active.id.connect(ConnectionParameters.DEFAULT);
        return active;
    }

    @Test
    @DisplayName("disconnect ends the set-up at once")
    void disconnect() throws Exception {
        meanwhile = side -> side.id.disconnect();
        Endpoint active = connect();
        CmEvent event = active.events.await(Endpoint.PATIENCE);
        assertThat(event).isNotNull();
        assertThat(event.type()).isNotEqualTo(CmEventType.ESTABLISHED);
        assertThat(network.clock().nowNanos()).as(event.toString()).isLessThan(soon);
        assertThat(active.next().succeeded()).isFalse();
    }

    @Test
    @DisplayName("a failure of the queue pair flushes posted requests at once")
    void error() throws Exception {
        meanwhile = side -> side.queuePair.modify(QueuePairState.ERR);
        Endpoint active = connect();
        assertThat(active.next().succeeded()).isFalse();
        assertThat(network.clock().nowNanos()).isLessThan(soon);
    }

    @Test
    @DisplayName("a closed id stays closed when the transport then refuses to connect")
    void closed() {
        Endpoint[] side = new Endpoint[1];
        meanwhile = active -> {
            side[0] = active;
            active.id.close();
            throw new LlpException(LlpFailure.UNREACHABLE, "No way.");
        };
        assertThatThrownBy(this::connect).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> side[0].id.connect(ConnectionParameters.DEFAULT))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
        assertThat(side[0].next().succeeded())
                .as("the posted request was flushed")
                .isFalse();
    }

    @Test
    @DisplayName(
            "after an error following the start, reports of that attempt are ignored, and the program can try again")
    void errorBehindTheBeginning() throws Exception {
        Endpoint[] side = new Endpoint[1];
        meanwhile = active -> side[0] = active;
        afterwards = () -> {
            throw new OutOfMemoryError("for the test");
        };
        assertThatThrownBy(this::connect).isInstanceOf(OutOfMemoryError.class);
        Endpoint active = side[0];
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.INIT);
        network.runFor(TimeUnit.MINUTES.toNanos(5));
        assertThat(active.events.poll()).isNull();
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.INIT);
        afterwards = () -> {};
        active.id.connect(ConnectionParameters.DEFAULT);
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.RTR);
        active.id.disconnect();
        assertThat(active.event(CmEventType.CONNECT_ERROR)).isNotNull();
        assertThat(active.next().succeeded()).isFalse();
        assertThat(active.events.poll()).isNull();
    }

    @EachWorld
    @DisplayName(
            "an accept that throws before the transport has it does not change the request, which can be accepted again")
    void acceptAgain(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes, id -> {
                CmIdLife life = ((RnicCmId) id).life();
                LlpConnection real = Objects.requireNonNull(life.connection());
                life.connection((LlpConnection) Proxy.newProxyInstance(
                        LlpConnection.class.getClassLoader(),
                        new Class<?>[] {LlpConnection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("execute")) {
                                throw new OutOfMemoryError("for the test");
                            }
                            return method.invoke(real, arguments);
                        }));
                assertThatThrownBy(() -> id.accept(ConnectionParameters.DEFAULT))
                        .isInstanceOf(OutOfMemoryError.class);
                assertThat(Objects.requireNonNull(id.queuePair()).state()).isEqualTo(QueuePairState.INIT);
                life.connection(real);
            });
            pair.passive.receive(1, 0, 8);
            pair.active.send(2, 0, 8);
            pair.passive.success();
            pair.active.success();
        }
    }

    @Test
    @DisplayName("a connection whose ESTABLISHED event could not be added ends as one that was never established")
    void untold() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            var events = world.connecting().createEventChannel();
            RnicCmId id = (RnicCmId) world.connecting().createId(events);
            CmIdLife life = id.life();
            synchronized (life) {
                life.move(CmIdState.Move.RESOLVE);
                life.connecting(life.newAttempt());
            }
            AtomicBoolean first = new AtomicBoolean(true);
            LlpConnection connection = (LlpConnection) Proxy.newProxyInstance(
                    LlpConnection.class.getClassLoader(),
                    new Class<?>[] {LlpConnection.class},
                    (proxy, method, arguments) -> {
                        if (first.getAndSet(false)) {
                            throw new OutOfMemoryError("for the test");
                        }
                        return new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
                    });
            assertThatThrownBy(() -> life.onEstablished(connection, new StartParameters(0, 0, new byte[0])))
                    .isInstanceOf(OutOfMemoryError.class);
            life.ended(RdmaErrorCode.DISCONNECTED, "for the test", null);
            assertThat(Objects.requireNonNull(events.poll()).type()).isEqualTo(CmEventType.CONNECT_ERROR);
            assertThat(events.poll()).isNull();
        }
    }
}
