package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.rnic.DatagramSide;
import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.EachDatagramWorld;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A service")
class DatagramServicesTest {
    private static final long SERVICE = 0x1234_5678_9abcL;
    private static final ResolveParameters PATIENT = ResolveParameters.DEFAULT.withTimeout(DatagramSide.PATIENCE);

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static RdmaException refusal(DatagramWorld world, ServiceListener at, long service, ResolveParameters how) {
        AtomicReference<RdmaException> refusal = new AtomicReference<>();
        assertThatThrownBy(() -> world.context(0).resolve(at.localAddress(), service, how))
                .isInstanceOfSatisfying(RdmaException.class, refusal::set);
        return refusal.get();
    }

    @Tag("DG-R.4-2")
    @EachDatagramWorld
    @DisplayName("is resolved by its id, and the result is a valid destination")
    void found(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide client = DatagramSide.on(world, 0);
            DatagramSide server = DatagramSide.on(world, 1);
            ServiceListener service =
                    server.context.listenService(server.queuePair.localAddress(), SERVICE, server.queuePair);

            ResolvedService found = client.context.resolve(service.localAddress(), SERVICE, PATIENT);
            assertThat(found.type()).isEqualTo(QueuePairType.UD);
            assertThat(found.address()).isEqualTo(server.queuePair.localAddress());
            assertThat(found.queuePairNumber()).isEqualTo(server.queuePair.number());
            assertThat(found.key()).isEqualTo(server.queuePair.key());
            assertThat(found.maxMessage()).isEqualTo(16 << 20);
            assertThat(found.maxRead()).isEqualTo(1 << 20);
            assertThat(found.maxDatagram()).isEqualTo(1472);

            server.receive(1, 0, 10);
            AddressHandle peer = client.queuePair.createAddressHandle(found);
            client.write(0, "found").send(1, peer, 0, 5);
            client.success();
            server.success();
            assertThat(server.read(0, 5)).isEqualTo("found");
        }
    }

    @Tag("DG-R.4-2")
    @EachDatagramWorld
    @DisplayName("may have a handler, on a separate port, that gets source and private data, and answers or rejects")
    void handler(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide server = DatagramSide.on(world, 1);
            ServiceListener service = server.context.listenService(
                    world.address(1, 0),
                    SERVICE,
                    (source, types, said) -> new String(said, StandardCharsets.US_ASCII).equals("please")
                            ? new ServiceHandler.Answer(server.queuePair, octets("welcome"))
                            : new ServiceHandler.Answer(null, octets("say please")));
            assertThat(service.localAddress()).isNotEqualTo(server.queuePair.localAddress());

            ResolvedService found = world.context(0)
                    .resolve(service.localAddress(), SERVICE, PATIENT.withPrivateData(octets("please")));
            assertThat(found.privateData()).isEqualTo(octets("welcome"));
            assertThat(found.address()).isEqualTo(server.queuePair.localAddress());

            RdmaException refusal = refusal(world, service, SERVICE, PATIENT);
            assertThat(refusal.code()).isEqualTo(RdmaErrorCode.REJECTED);
            assertThat(refusal.privateData()).isEqualTo(octets("say please"));
        }
    }

    @EachDatagramWorld
    @DisplayName("is not found with another id, for another type, after its close, or without a host")
    void notFound(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide server = DatagramSide.on(world, 1);
            ServiceListener service =
                    server.context.listenService(server.queuePair.localAddress(), SERVICE, server.queuePair);
            ServiceListener another =
                    server.context.listenService(server.queuePair.localAddress(), SERVICE + 1, server.queuePair);

            assertThat(refusal(world, service, SERVICE + 2, PATIENT).code()).isEqualTo(RdmaErrorCode.NOT_FOUND);
            assertThat(refusal(world, service, SERVICE, PATIENT.withTypes(QueuePairType.RD))
                            .code())
                    .isEqualTo(RdmaErrorCode.NO_AGREEMENT);
            DatagramSide gone = DatagramSide.on(world, 1);
            ServiceListener ofGone =
                    gone.context.listenService(server.queuePair.localAddress(), SERVICE + 3, gone.queuePair);
            gone.queuePair.close();
            assertThat(refusal(world, ofGone, SERVICE + 3, PATIENT).code())
                    .as("no answer names a closed queue pair")
                    .isEqualTo(RdmaErrorCode.NOT_FOUND);
            ofGone.close();
            service.close();
            service.close();
            assertThat(refusal(world, another, SERVICE, PATIENT).code()).isEqualTo(RdmaErrorCode.NOT_FOUND);
            another.close();
            assertThat(refusal(world, another, SERVICE, PATIENT.withTimeout(Duration.ofMillis(300)))
                            .code())
                    .isEqualTo(RdmaErrorCode.TIMED_OUT);
        }
    }

    @EachDatagramWorld
    @DisplayName("cannot be registered twice on one port")
    void twice(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide server = DatagramSide.on(world, 1);
            server.context.listenService(server.queuePair.localAddress(), SERVICE, server.queuePair);
            assertThatThrownBy(() ->
                            server.context.listenService(server.queuePair.localAddress(), SERVICE, server.queuePair))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
        }
    }

    @Test
    @DisplayName("has different error codes for another version and another type of queue pair")
    void codes() {
        assertThat(DatagramServices.code(ServiceStatus.NO_COMMON_VERSION)).isEqualTo(RdmaErrorCode.PROTOCOL_MISMATCH);
        assertThat(DatagramServices.code(ServiceStatus.NO_QUEUE_PAIR)).isEqualTo(RdmaErrorCode.NO_AGREEMENT);
    }
}
