package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.portmap.PlayedPortMapper;
import dev.jwarp.rnic.portmap.PortMapMessage;
import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;

@DisplayName("With jwarp.cm.port-mapper, a connection")
@Timeout(60)
class PortMappedConnectionsTest {
    /** A fifth of this timeout is longer than any test, so a connection that ends has not waited for a port mapper. */
    private static final String FOR_EVER = "3600000";

    private InetAddress host = InetAddress.getLoopbackAddress();

    @BeforeEach
    void host() throws IOException {
        host = PlayedPortMapper.newHost();
    }

    private InetSocketAddress at(int port) {
        return new InetSocketAddress(host, port);
    }

    private static World world(World.Kind kind, String portMapper, String timeoutMillis) {
        return World.of(kind, Map.of("jwarp.cm.port-mapper", portMapper, "jwarp.cm.connect-timeout", timeoutMillis));
    }

    private PlayedPortMapper mapper(Function<PortMapMessage, @Nullable PortMapMessage> answers) throws IOException {
        return new PlayedPortMapper(host, PlayedPortMapper.PORT, answers);
    }

    private Listening listening(World world) {
        return new Listening(world, host);
    }

    private static final class Listening {
        final World world;
        final CmEventChannel events;
        final CmId id;

        Listening(World world, InetAddress host) {
            this.world = world;
            events = world.listening().createEventChannel();
            id = world.listening().createId(events);
            id.bind(new InetSocketAddress(host, 0));
            id.listen(0);
        }

        int port() {
            return Objects.requireNonNull(id.localAddress()).getPort();
        }

        /** Accepts one connection. {@return its source} */
        InetSocketAddress accept() {
            CmEvent request = Objects.requireNonNull(events.await(Endpoint.PATIENCE));
            assertThat(request.type()).isEqualTo(CmEventType.CONNECT_REQUEST);
            CmId id = request.id();
            Endpoint side = Connected.endpoint(world, id);
            InetSocketAddress from = Objects.requireNonNull(id.remoteAddress());
            side.id.accept(ConnectionParameters.DEFAULT);
            return from;
        }
    }

    private Endpoint connecting(World world, int port) {
        Endpoint side = Connected.endpoint(world, world.connecting());
        side.id.resolveAddress(null, at(port));
        side.event(CmEventType.ADDR_RESOLVED);
        side.id.connect(ConnectionParameters.DEFAULT);
        return side;
    }

    private static long counter(Context context, String name) {
        return context.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .mapToLong(Counter::value)
                .findFirst()
                .orElseThrow();
    }

    @EachTcpWorld
    @DisplayName("goes to the port in the answer of the peer's port mapper, and comes from the port in the request")
    void mapped(World.Kind kind) throws Exception {
        try (World world = world(kind, "ask", FOR_EVER)) {
            Listening listener = listening(world);
            try (PlayedPortMapper mapper = mapper(request ->
                    request.kind() == Kind.REQUEST ? request.answer(Kind.ACCEPT, at(listener.port())) : null)) {
                Endpoint side = connecting(world, 9);
                InetSocketAddress from = listener.accept();
                side.event(CmEventType.ESTABLISHED);
                PortMapMessage request = mapper.heard().get(0);
                assertThat(request.accepting()).isEqualTo(at(9));
                assertThat(from).isEqualTo(request.connecting());
                assertThat(side.id.remoteAddress())
                        .as("the address of the program")
                        .isEqualTo(at(9));
                assertThat(counter(world.connecting(), "connections_mapped")).isEqualTo(1);
                assertThat(counter(world.connecting(), "connections_not_mapped"))
                        .isZero();
            }
        }
    }

    @EachTcpWorld
    @DisplayName("goes to the program's port if the peer's port mapper has no mapping")
    void rejected(World.Kind kind) throws Exception {
        try (World world = world(kind, "ask", FOR_EVER);
                PlayedPortMapper mapper = mapper(request -> request.answer(Kind.REJECT, request.accepting()))) {
            isNotMapped(world);
            assertThat(mapper.heard()).isNotEmpty();
        }
    }

    @EachTcpWorld
    @DisplayName("goes to the program's port at once if the peer's host has no port mapper")
    void nobody(World.Kind kind) {
        try (World world = world(kind, "ask", FOR_EVER)) {
            isNotMapped(world);
        }
    }

    @EachTcpWorld
    @DisplayName("goes to the program's port after a fifth of its timeout without an answer")
    void silent(World.Kind kind) throws Exception {
        try (World world = world(kind, "ask", "10000");
                PlayedPortMapper mapper = mapper(request -> null)) {
            isNotMapped(world);
            world.until("the question is heard", () -> !mapper.heard().isEmpty());
        }
    }

    @EachTcpWorld
    @DisplayName("goes to the program's port without a question if the setting is off or answer")
    void off(World.Kind kind) throws Exception {
        for (String setting : new String[] {"off", "answer"}) {
            try (World world = world(kind, setting, FOR_EVER);
                    PlayedPortMapper mapper = mapper(request -> null)) {
                Listening listener = listening(world);
                Endpoint side = connecting(world, listener.port());
                listener.accept();
                side.event(CmEventType.ESTABLISHED);
                assertThat(mapper.heard()).isEmpty();
            }
        }
    }

    private void isNotMapped(World world) {
        Listening listener = listening(world);
        Endpoint side = connecting(world, listener.port());
        listener.accept();
        side.event(CmEventType.ESTABLISHED);
        assertThat(counter(world.connecting(), "connections_mapped")).isZero();
        assertThat(counter(world.connecting(), "connections_not_mapped")).isEqualTo(1);
    }

    @EachTcpWorld
    @DisplayName("gets an answer from a jwarp listener")
    void both(World.Kind kind) {
        try (World world = world(kind, "both", FOR_EVER)) {
            Listening listener = listening(world);
            Endpoint side = connecting(world, listener.port());
            listener.accept();
            side.event(CmEventType.ESTABLISHED);
            assertThat(counter(world.connecting(), "connections_mapped")).isEqualTo(1);
            listener.id.close();
        }
    }

    @EachTcpWorld
    @DisplayName("is refused as any other without a listener on the mapped port")
    void refused(World.Kind kind) throws Exception {
        try (World world = world(kind, "ask", FOR_EVER);
                PlayedPortMapper mapper = mapper(request -> request.answer(Kind.ACCEPT, at(1)))) {
            Endpoint side = connecting(world, 9);
            CmEvent event = Objects.requireNonNull(side.events.await(Endpoint.PATIENCE));
            assertThat(event.error()).isEqualTo(RdmaErrorCode.CONNECTION_REFUSED);
            assertThat(mapper.heard()).isNotEmpty();
        }
    }

    private void endsWhileAsking(World.Kind kind, Consumer<Endpoint> end) throws IOException {
        try (World world = world(kind, "ask", FOR_EVER);
                PlayedPortMapper mapper = mapper(request -> null)) {
            Endpoint side = connecting(world, 9);
            side.receive(1, 0, 8);
            end.accept(side);
            assertThat(side.next().succeeded())
                    .as("the posted request is flushed")
                    .isFalse();
            assertThat(mapper.heard()).as("one each second").hasSizeLessThan(100);
        }
    }

    @EachTcpWorld
    @DisplayName("ends at once when its id or queue pair is closed while the peer's port mapper is asked")
    void closed(World.Kind kind) throws Exception {
        endsWhileAsking(kind, side -> side.id.close());
    }

    @EachTcpWorld
    @DisplayName("can be closed in a handler, which must not wait, while the peer's port mapper is asked")
    void closedInHandler(World.Kind kind) throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        try (World world = world(kind, "ask", FOR_EVER);
                PlayedPortMapper mapper = mapper(request ->
                        request.accepting().getPort() == 9 ? null : request.answer(Kind.REJECT, request.accepting()))) {
            Endpoint asking = connecting(world, 9);
            Listening listener = listening(world);
            listener.events.onEvent(request -> {
                asking.id.close();
                closed.set(true);
            });
            connecting(world, listener.port());
            world.until("the handler has closed the id", closed::get);
            assertThat(mapper.heard()).isNotEmpty();
        }
    }

    @EachTcpWorld
    @DisplayName("ends at once, with an event, when the program disconnects while the peer's port mapper is asked")
    void disconnected(World.Kind kind) throws Exception {
        endsWhileAsking(kind, side -> {
            side.id.disconnect();
            side.event(CmEventType.CONNECT_ERROR);
        });
    }

    @EachTcpWorld
    @DisplayName("ends at once, with an event, when its queue pair fails while the peer's port mapper is asked")
    void failed(World.Kind kind) throws Exception {
        endsWhileAsking(kind, side -> {
            side.queuePair.modify(QueuePairState.ERR);
            side.event(CmEventType.CONNECT_ERROR);
        });
    }

    @EachTcpWorld
    @DisplayName("does not delay the close of its context")
    void contextClosed(World.Kind kind) throws Exception {
        try (PlayedPortMapper mapper = mapper(request -> null)) {
            World world = world(kind, "ask", FOR_EVER);
            connecting(world, 9);
            world.close();
            assertThat(mapper.heard()).as("one each second").hasSizeLessThan(100);
        }
    }
}
