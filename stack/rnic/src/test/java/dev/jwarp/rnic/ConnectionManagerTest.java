package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.StreamFault;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Connection manager")
class ConnectionManagerTest {
    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A listener with a channel of its own. */
    private record Listener(World world, CmEventChannel events, CmId id) {
        static Listener in(World world, int backlog) {
            CmEventChannel events = world.listening().createEventChannel();
            CmId id = world.listening().createId(events);
            id.bind(world.address(0));
            id.listen(backlog);
            return new Listener(world, events, id);
        }

        InetSocketAddress address() {
            return Objects.requireNonNull(id.localAddress());
        }

        CmEvent request() {
            CmEvent event = Objects.requireNonNull(events.await(Endpoint.PATIENCE));
            assertThat(event.type()).isEqualTo(CmEventType.CONNECT_REQUEST);
            assertThat(event.listenId()).isSameAs(id);
            return event;
        }
    }

    private static Endpoint connecting(World world, InetSocketAddress address, ConnectionParameters parameters) {
        Endpoint side = Connected.endpoint(world, world.connecting());
        side.id.resolveAddress(null, address);
        side.event(CmEventType.ADDR_RESOLVED);
        side.id.connect(parameters);
        return side;
    }

    @Tag("MPA2-9.1-9")
    @EachWorld
    @DisplayName("Private data and read depths reach the other side, both ways")
    void parameters(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(
                    world,
                    listener.address(),
                    ConnectionParameters.DEFAULT
                            .withPrivateData(octets("who are you?"))
                            .withResponderResources(3)
                            .withInitiatorDepth(5));
            CmEvent request = listener.request();
            assertThat(request.parameters().privateData()).isEqualTo(octets("who are you?"));
            // From this side's view: responder resources are the peer's ORD, initiator depth is the peer's IRD.
            assertThat(request.parameters().responderResources()).isEqualTo(5);
            assertThat(request.parameters().initiatorDepth()).isEqualTo(3);

            Endpoint passive = Connected.endpoint(world, request.id());
            passive.id.accept(request.parameters().withPrivateData(octets("a server")));
            passive.event(CmEventType.ESTABLISHED);
            CmEvent established = active.event(CmEventType.ESTABLISHED);
            assertThat(established.parameters().privateData()).isEqualTo(octets("a server"));
            assertThat(established.error()).isNull();
            assertThat(established.status()).isZero();
            assertThat(active.queuePair.query().ord()).isEqualTo(5);
            assertThat(active.queuePair.query().ird()).isEqualTo(3);
            assertThat(passive.queuePair.query().ord()).isEqualTo(3);
            assertThat(passive.queuePair.query().ird()).isEqualTo(5);
            assertThat(active.id.remoteAddress()).isEqualTo(listener.address());
            assertThat(passive.id.remoteAddress()).isEqualTo(active.id.localAddress());
        }
    }

    @EachWorld
    @DisplayName("A rejection carries private data; posted requests are flushed")
    void reject(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            active.receive(1, 0, 8);
            CmId request = listener.request().id();
            request.reject(octets("not today"));

            CmEvent rejected = active.event(CmEventType.REJECTED);
            assertThat(rejected.error()).isEqualTo(RdmaErrorCode.REJECTED);
            assertThat(rejected.status()).isEqualTo(-1);
            assertThat(rejected.parameters().privateData()).isEqualTo(octets("not today"));
            assertThat(rejected.sentence())
                    .startsWith(listener.address().getAddress().getHostAddress() + ":"
                            + listener.address().getPort() + " rejected");
            assertThat(active.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(active.queuePair.state()).isEqualTo(QueuePairState.ERR);
            request.close();
        }
    }

    @EachWorld
    @DisplayName("Closing a request rejects it")
    void closedRequest(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            listener.request().id().close();
            active.event(CmEventType.REJECTED);
        }
    }

    @EachWorld
    @DisplayName("Without a listener the connection is refused")
    void refused(World.Kind kind) throws IOException {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            InetSocketAddress closed = listener.address();
            listener.id.close();
            InetSocketAddress address = world.unheard(closed);
            Endpoint active = connecting(world, address, ConnectionParameters.DEFAULT);
            CmEvent event = active.event(CmEventType.REJECTED);
            assertThat(event.error()).isEqualTo(RdmaErrorCode.CONNECTION_REFUSED);
            assertThat(event.sentence()).contains(String.valueOf(address.getPort()));
        }
    }

    @EachWorld
    @DisplayName("The connecting side gives up an unanswered request after its timeout")
    void unanswered(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(
                    world, listener.address(), ConnectionParameters.DEFAULT.withTimeout(Duration.ofMillis(50)));
            CmEvent event = active.event(CmEventType.UNREACHABLE);
            assertThat(event.error()).isEqualTo(RdmaErrorCode.TIMED_OUT);
        }
    }

    @EachWorld
    @DisplayName("A request that the peer gave up is withdrawn, or fails when it is answered")
    void givenUp(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            Endpoint second = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            CmEvent taken = listener.request();
            world.until(
                    "both requests are there",
                    () -> DatagramWorld.counter(world.listening(), "requests_received") == 2);
            for (Endpoint side : List.of(active, second)) { // without a timeout: both requests must have arrived before
                side.id.disconnect();
                side.event(CmEventType.CONNECT_ERROR);
            }
            world.until(
                    "the listening side has heard of both",
                    () -> DatagramWorld.counter(world.listening(), "requests_failed") == 2);
            world.settle();
            CmEvent failed = Objects.requireNonNull(listener.events.await(Endpoint.PATIENCE));
            assertThat(failed.type()).as(failed.toString()).isEqualTo(CmEventType.CONNECT_ERROR);
            assertThat(failed.id()).isSameAs(taken.id());
            Endpoint passive = Connected.endpoint(world, taken.id());
            assertThatThrownBy(() -> passive.id.accept(ConnectionParameters.DEFAULT))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED_BY_PEER));
            world.settle();
            assertThat(listener.events.poll())
                    .as("the request that was not taken")
                    .isNull();
        }
    }

    @Test
    @DisplayName("A connection attempt that gets no answer at all times out")
    void lostConnect() {
        SimNetwork network = new SimNetwork(1);
        try (World world = World.simulated(network, Map.of())) {
            Listener listener = Listener.in(world, 0);
            network.inject(0, StreamFault.lostConnect());
            long before = network.clock().nowNanos();
            Endpoint active = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            assertThat(active.event(CmEventType.UNREACHABLE).error()).isEqualTo(RdmaErrorCode.TIMED_OUT);
            assertThat(network.clock().nowNanos() - before).isBetween(15_000_000_000L, 15_100_000_000L);
        }
    }

    @EachWorld
    @DisplayName("Requests beyond the backlog are rejected and counted, and do not affect the others")
    void backlog(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 2);
            List<Endpoint> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(connecting(world, listener.address(), ConnectionParameters.DEFAULT));
            }
            world.until(
                    "one is turned away",
                    () -> world.listening().counters().stream()
                            .anyMatch(
                                    counter -> counter.name().equals("requests_turned_away") && counter.value() == 1));
            for (int i = 0; i < 2; i++) {
                Connected.endpoint(world, listener.request().id()).id.accept(ConnectionParameters.DEFAULT);
            }
            List<CmEventType> outcomes = new ArrayList<>();
            for (Endpoint side : all) {
                outcomes.add(Objects.requireNonNull(side.events.await(Endpoint.PATIENCE))
                        .type());
            }
            assertThat(outcomes)
                    .containsExactlyInAnyOrder(CmEventType.ESTABLISHED, CmEventType.ESTABLISHED, CmEventType.REJECTED);
        }
    }

    @EachWorld
    @DisplayName("Closing a listener rejects the pending requests, and does not affect connections")
    void closeListener(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Listener listener = Listener.in(world, 0);
            Endpoint waiting = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            world.until(
                    "the request is there",
                    () -> world.listening().counters().stream()
                            .anyMatch(counter -> counter.name().equals("requests_received") && counter.value() == 2));
            listener.id.close();
            waiting.event(CmEventType.REJECTED);
            pair.passive.receive(1, 0, 8);
            pair.active.send(1, 0, 8);
            pair.passive.success();
            assertThat(listener.events.poll()).isNull();
            listener.events.close();
        }
    }

    @EachWorld
    @DisplayName("Several listeners work side by side; an address cannot be bound twice")
    void listeners(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener first = Listener.in(world, 0);
            Listener second = Listener.in(world, 0);
            connecting(world, first.address(), ConnectionParameters.DEFAULT);
            connecting(world, second.address(), ConnectionParameters.DEFAULT);
            first.request();
            second.request();
            CmId third = world.listening().createId(first.events);
            third.bind(first.address());
            assertThatThrownBy(() -> third.listen(0))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE))
                    .hasMessageContaining(String.valueOf(first.address().getPort()));
        }
    }

    @EachWorld
    @DisplayName("A foreign address and an address in use have different error codes")
    void foreignAddress(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmId id = world.listening().createId();
            id.bind(new InetSocketAddress("192.0.2.1", 7174));
            assertThatThrownBy(() -> id.listen(0))
                    .isInstanceOfSatisfying(
                            RdmaException.class,
                            e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_NOT_AVAILABLE))
                    .hasMessageContaining("192.0.2.1");
        }
    }

    @EachWorld
    @DisplayName("A disconnect is clean at both ends: work done, receives flushed, no error")
    void disconnect(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 8);
            pair.passive.receive(2, 8, 8);
            pair.active.send(3, 0, 8);
            pair.active.id.disconnect();

            assertThat(pair.active.success().id()).isEqualTo(3);
            assertThat(pair.passive.success().id()).isEqualTo(1);
            WorkCompletion flushed = pair.passive.next();
            assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(flushed.diagnosis()).as("nothing went wrong").isNull();
            for (Endpoint side : List.of(pair.active, pair.passive)) {
                CmEvent event = side.event(CmEventType.DISCONNECTED);
                assertThat(event.error()).as(event.toString()).isNull();
                assertThat(side.queuePair.state()).isEqualTo(QueuePairState.ERR);
            }
            pair.active.id.disconnect();
            pair.passive.id.disconnect();
            world.settle();
            assertThat(pair.active.events.poll()).isNull();
            assertThat(world.connecting().pollAsyncEvent()).isNull();
        }
    }

    @EachWorld
    @DisplayName("Both may disconnect at once")
    void bothDisconnect(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.id.disconnect();
            pair.passive.id.disconnect();
            assertThat(pair.active.event(CmEventType.DISCONNECTED).error()).isNull();
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
        }
    }

    @EachWorld
    @DisplayName("All requests posted before a disconnect are sent")
    void disconnectSendsAll(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            for (int i = 0; i < 20; i++) {
                pair.passive.receive(i, 0, Endpoint.MEMORY);
                pair.active.send(i, 0, Endpoint.MEMORY);
            }
            pair.active.id.disconnect();
            assertThat(pair.passive.next(20)).allMatch(WorkCompletion::succeeded);
            assertThat(pair.active.next(20)).allMatch(WorkCompletion::succeeded);
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
        }
    }

    @EachWorld
    @DisplayName("Closing a queue pair without a disconnect ends the peer's connection abruptly")
    void abrupt(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 8);
            pair.active.queuePair.close();
            CmEvent ours = pair.active.event(CmEventType.DISCONNECTED);
            assertThat(ours.error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
            CmEvent event = pair.passive.event(CmEventType.DISCONNECTED);
            assertThat(event.error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
            assertThat(event.sentence()).contains("reset");
            WorkCompletion flushed = pair.passive.next();
            assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(flushed.diagnosis()).contains("reset");
        }
    }

    @EachWorld
    @DisplayName("Closing right after a disconnect loses no posted request")
    void closeAfterDisconnect(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, Endpoint.MEMORY);
            pair.active.send(1, 0, Endpoint.MEMORY);
            pair.active.id.disconnect();
            pair.active.id.close();
            assertThat(pair.active.success().id()).isEqualTo(1);
            assertThat(pair.passive.success().byteLength()).isEqualTo(Endpoint.MEMORY);
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
        }
    }

    @EachWorld
    @DisplayName("An abandoned set-up fails at both ends")
    void giveUp(World.Kind kind) {
        try (World world = World.of(kind)) {
            Listener listener = Listener.in(world, 0);
            Endpoint active = connecting(world, listener.address(), ConnectionParameters.DEFAULT);
            active.receive(7, 0, 8);
            listener.request();
            active.id.disconnect();
            active.event(CmEventType.CONNECT_ERROR);
            assertThat(active.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            CmEvent failed = Objects.requireNonNull(listener.events.await(Endpoint.PATIENCE));
            assertThat(failed.type()).isEqualTo(CmEventType.CONNECT_ERROR);
        }
    }

    @EachWorld
    @DisplayName("In the peer-to-peer set-up the listening side may speak first")
    void peerToPeer(World.Kind kind) {
        try (World world = World.of(kind, Map.of("jwarp.mpa.peer-to-peer", "on"))) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            pair.passive.write(0, "first").send(2, 0, 5);
            pair.active.success();
            assertThat(pair.active.read(0, 5)).isEqualTo("first");
            assertThat(pair.passive.success().id()).isEqualTo(2);
        }
    }

    @EachWorld
    @DisplayName("Without the peer-to-peer set-up, the listening side's Sends wait for the first message of the peer")
    void held(World.Kind kind) {
        try (World world = World.of(kind, Map.of("jwarp.rdmap.nudge", "off"))) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            pair.passive.receive(2, 0, 8);
            pair.passive.send(3, 0, 8);
            pair.active.nothing();
            pair.active.send(4, 0, 8);
            assertThat(pair.active.next(2)).allMatch(WorkCompletion::succeeded);
            assertThat(pair.passive.next(2)).allMatch(WorkCompletion::succeeded);
        }
    }

    @EachWorld
    @DisplayName("Calls out of order are refused with the state")
    void outOfOrder(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel events = world.connecting().createEventChannel();
            CmId id = world.connecting().createId(events);
            assertWrongState(() -> id.connect(ConnectionParameters.DEFAULT), "is in state NEW: connect");
            assertWrongState(() -> id.listen(1), "listen");
            assertWrongState(() -> id.accept(ConnectionParameters.DEFAULT), "accept");
            assertWrongState(() -> id.reject(new byte[0]), "reject");
            assertWrongState(id::disconnect, "disconnect");
            id.resolveAddress(null, world.address(1));
            assertWrongState(() -> id.connect(ConnectionParameters.DEFAULT), "needs a queue pair");
            id.close();
            assertThatThrownBy(() -> id.bind(world.address(0)))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
            id.close();
        }
    }

    private static void assertWrongState(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.WRONG_STATE))
                .hasMessageContaining(words);
    }

    @EachWorld
    @DisplayName("Parameters out of range and unknown hosts are refused")
    void badParameters(World.Kind kind) {
        try (World world = World.of(kind)) {
            Endpoint side = Connected.endpoint(world, world.connecting());
            side.id.resolveAddress(null, InetSocketAddress.createUnresolved("no.such.host.invalid", 1));
            CmEvent event = side.event(CmEventType.ADDR_ERROR);
            assertThat(event.error()).isEqualTo(RdmaErrorCode.ADDRESS_NOT_AVAILABLE);
            assertThat(event.sentence()).contains("no.such.host.invalid is unknown");
            side.id.resolveAddress(null, world.address(1));
            assertThatThrownBy(() -> side.id.connect(ConnectionParameters.DEFAULT.withPrivateData(new byte[509])))
                    .hasMessageContaining("at most 508 bytes, not 509");
            assertThatThrownBy(() -> side.id.connect(ConnectionParameters.DEFAULT.withInitiatorDepth(129)))
                    .hasMessageContaining("initiator depth (ORD) of a connection is 0 to 128 here, not 129");
        }
    }

    @EachWorld
    @DisplayName("Forty connections at once through one listener, all in use")
    void many(World.Kind kind) {
        try (World world = World.of(kind)) {
            List<Connected> pairs = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                pairs.add(Connected.in(world));
            }
            for (Connected pair : pairs) {
                pair.passive.receive(1, 0, 8);
                pair.active.send(1, 0, 8);
            }
            for (Connected pair : pairs) {
                pair.passive.success();
                pair.active.success();
                pair.active.id.disconnect();
            }
            for (Connected pair : pairs) {
                assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
            }
        }
    }
}
