package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.DatagramSide;
import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.EachDatagramWorld;
import dev.jwarp.rnic.World;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A datagram queue pair rejects with a message, and continues:")
class DatagramRefusalsTest {
    private static void assertRefused(RdmaErrorCode code, String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    @Test
    @DisplayName("calls for connections, without a transport for connections")
    void noConnections() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            Context context = world.context(0);
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(16);
            QueuePairAttributes attributes = QueuePairAttributes.builder(queue).build();
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, "jwarp-transport-tcp", context::createId);
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, "jwarp-transport-tcp", context::createEventChannel);
            assertRefused(RdmaErrorCode.NOT_SUPPORTED, "jwarp-transport-tcp", () -> domain.createQueuePair(attributes));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "UD or RD",
                    () -> domain.createDatagramQueuePair(
                            QueuePairType.RC,
                            attributes,
                            DatagramAttributes.builder(world.address(0, 0)).build()));
        }
    }

    @Test
    @DisplayName("calls for datagrams, without a transport for datagrams")
    void noDatagrams() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Context context = world.listening();
            InetSocketAddress somewhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(16);
            assertRefused(
                    RdmaErrorCode.NOT_SUPPORTED,
                    "jwarp-transport-udp",
                    () -> domain.createDatagramQueuePair(
                            QueuePairType.UD,
                            QueuePairAttributes.builder(queue).build(),
                            DatagramAttributes.builder(somewhere).build()));
            assertRefused(
                    RdmaErrorCode.NOT_SUPPORTED,
                    "jwarp-transport-udp",
                    () -> context.resolve(somewhere, 1, ResolveParameters.DEFAULT));
            Connected pair = Connected.in(world);
            assertRefused(
                    RdmaErrorCode.NOT_SUPPORTED,
                    "datagram queue pair",
                    () -> pair.active.queuePair.postSend(new SendWorkRequest().writeRecord(0, 0)));
        }
    }

    @Test
    @DisplayName("invalid requests")
    void requests() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide side = DatagramSide.on(
                    world,
                    0,
                    wishes -> wishes.maxInlineData(8),
                    builder -> builder.maxMessage(1000).maxRead(1000));
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle peer = side.to(other);
            AddressHandle foreign = other.to(side);
            SendWorkRequest request = new SendWorkRequest();
            for (SendWorkRequest odd : new SendWorkRequest[] {
                new SendWorkRequest().fetchAndAdd(0, 0, 1),
                new SendWorkRequest().sendWithInvalidate(1),
                new SendWorkRequest().immediateData(1),
                new SendWorkRequest().localInvalidate(1)
            }) {
                assertRefused(
                        RdmaErrorCode.NOT_SUPPORTED,
                        "WRITE_RECORD",
                        () -> side.queuePair.postSend(odd.destination(peer)));
            }
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT, "no destination", () -> side.queuePair.postSend(request.clear()));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "of another queue pair",
                    () -> side.queuePair.postSend(request.clear().destination(foreign)));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "at most 1000",
                    () -> side.queuePair.postSend(
                            request.clear().destination(peer).add(side.memory, 0, 1001)));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "inline",
                    () -> side.queuePair.postSend(
                            request.clear().destination(peer).inlineData(ByteBuffer.allocate(9))));
            assertRefused(
                    RdmaErrorCode.INVALID_LKEY,
                    "protection domain",
                    () -> side.queuePair.postSend(
                            request.clear().destination(peer).add(other.memory, 0, 1)));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "RDMA Read with one",
                    () -> side.queuePair.readAll(request.clear().destination(peer), 1));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "at most 1000",
                    () -> side.queuePair.postSend(side.read(1, peer, other, 0, 1001)));
            assertRefused(
                    RdmaErrorCode.INVALID_LKEY,
                    "lkey",
                    () -> side.queuePair.readAll(
                            side.read(1, peer, other, 0, 1001)
                                    .clear()
                                    .destination(peer)
                                    .rdmaRead(0, 0)
                                    .add(0, 1, 3),
                            1));
            assertRefused(
                    RdmaErrorCode.OUT_OF_BOUNDS,
                    "not inside its region",
                    () -> side.queuePair.readAll(
                            request.clear()
                                    .destination(peer)
                                    .rdmaRead(0, 0)
                                    .add(side.memory.address(), DatagramSide.MEMORY + 1, side.memory.lkey()),
                            1));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "of another queue pair",
                    () -> side.queuePair.readAll(side.read(1, foreign, other, 0, 1001), 1));
            assertRefused(RdmaErrorCode.WRONG_STATE, "RTS and ERR", () -> side.queuePair.modify(QueuePairState.SQD));

            other.receive(1, 0, 10);
            side.send(1, peer, 0, 10);
            side.success();
            other.success();
            peer.close(); // rejected Reads do not use the handle
        }
    }

    @Test
    @DisplayName("addresses of the other IP version; the wildcard address is for both unless oneIpVersion is set")
    void otherVersion() throws IOException {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE)) {
            DatagramSide side = DatagramSide.on(world, 0);
            InetSocketAddress six =
                    new InetSocketAddress(AddressHandles.anywhere(InetAddress.getByName("2001:db8::1")), 1);
            assertThat(six.getAddress()).isEqualTo(InetAddress.getByName("::"));
            InetSocketAddress far = new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 1);
            assertHandleRefused(side, far, 16, 1500, 0, "another IP version");
            InetSocketAddress group = new InetSocketAddress(InetAddress.getByName("ff02::1234"), 1);
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "another IP version",
                    () -> side.queuePair.joinGroup(group, null, 1));

            InetSocketAddress wildcard = new InetSocketAddress("0.0.0.0", 0);
            DatagramSide four = DatagramSide.on(
                    world,
                    0,
                    UnaryOperator.identity(),
                    builder -> DatagramAttributes.builder(wildcard).oneIpVersion(true));
            assertHandleRefused(four, far, 16, 1500, 0, "another IP version");
            DatagramSide anywhere = DatagramSide.on(
                    world, 0, UnaryOperator.identity(), builder -> DatagramAttributes.builder(wildcard));
            InetAddress here = anywhere.queuePair.localAddress().getAddress();
            assertThat(here).as("as in the JDK").isEqualTo(wildcardOfJdk());
            if (here.equals(six.getAddress())) {
                anywhere.queuePair.createAddressHandle(far, 16, 0).close();
            }
            side.receive(2, 0, 1);
            anywhere.send(2, anywhere.to(side), 0, 1);
            anywhere.success();
            side.success();
        }
    }

    @Test
    @DisplayName(
            "datagrams that the system never sends: the request fails, an event has the reason, and later requests succeed")
    void unsendable() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide side = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            world.datagrams().largestDatagram(1_000);
            side.send(1, side.to(other), 0, 1_200);
            side.next(WorkCompletionStatus.LOC_LEN_ERR);
            assertThat(world.asyncEvent(side.context, AsyncEventType.UNSENDABLE).sentence())
                    .endsWith(": Message too long.");
            other.receive(2, 0, 1);
            side.send(2, side.to(other), 0, 1);
            side.success();
            other.success();
        }
    }

    private static InetAddress wildcardOfJdk() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open().bind(null)) {
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        }
    }

    @EachDatagramWorld
    @DisplayName("ports at a foreign address")
    void foreignAddress(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            assertRefused(
                    RdmaErrorCode.ADDRESS_NOT_AVAILABLE,
                    "192.0.2.1",
                    () -> DatagramSide.on(
                            world,
                            0,
                            UnaryOperator.identity(),
                            builder -> DatagramAttributes.builder(new InetSocketAddress("192.0.2.1", 7174))));
        }
    }

    @Test
    @DisplayName("invalid addresses, numbers and sizes")
    void attributes() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide side = DatagramSide.on(world, 0);
            InetSocketAddress address = world.address(1, 5);
            InetSocketAddress group = new InetSocketAddress("239.1.2.3", 5);
            assertHandleRefused(side, world.address(1, 0), 16, 1500, 0, "port");
            assertHandleRefused(side, group, 16, 1500, 0, "joinGroup");
            assertHandleRefused(side, address, 15, 1500, 0, "16 to 0xFFFFFE");
            assertHandleRefused(side, address, 0xff_ffff, 1500, 0, "16 to 0xFFFFFE");
            assertHandleRefused(side, address, 16, 575, 0, "576 to 65535");
            assertHandleRefused(side, address, 16, 1500, -1, "pace");
            assertRefused(RdmaErrorCode.INVALID_ARGUMENT, "no group", () -> side.queuePair.joinGroup(address, null, 1));
            for (UnaryOperator<DatagramAttributes.Builder> odd : wrongAttributes()) {
                assertRefused(
                        RdmaErrorCode.INVALID_ARGUMENT,
                        "is",
                        () -> DatagramSide.on(world, 1, UnaryOperator.identity(), odd));
            }
            assertRefused(
                    RdmaErrorCode.ADDRESS_IN_USE,
                    "queue pair",
                    () -> DatagramSide.on(
                            world,
                            0,
                            UnaryOperator.identity(),
                            builder -> builder.queuePairNumber(side.queuePair.number())));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT, "LOCAL_WRITE", () -> side.domain.allocate(10, AccessFlag.RECORD));
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of generic type
    private static UnaryOperator<DatagramAttributes.Builder>[] wrongAttributes() {
        return new UnaryOperator[] {
            (UnaryOperator<DatagramAttributes.Builder>) builder -> builder.queuePairNumber(15),
            (UnaryOperator<DatagramAttributes.Builder>) builder -> builder.queuePairNumber(0xff_ffff),
            (UnaryOperator<DatagramAttributes.Builder>) builder -> builder.pathMtu(575),
            (UnaryOperator<DatagramAttributes.Builder>) builder -> builder.maxMessage(255),
            (UnaryOperator<DatagramAttributes.Builder>)
                    builder -> builder.maxMessage(256).maxRead(257)
        };
    }

    private static void assertHandleRefused(
            DatagramSide side, InetSocketAddress address, int number, int mtu, long pace, String words) {
        assertRefused(
                RdmaErrorCode.INVALID_ARGUMENT,
                words,
                () -> side.queuePair.createAddressHandle(address, number, 0, mtu, pace));
    }
}
