package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Many connections")
class ManyConnectionsTest {
    private static final int CONNECTIONS = 1_000;

    /** The shared objects of all connections of one side. */
    private static final class Side {
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final CmEventChannel events;
        final MemoryRegion memory;
        final List<CmId> ids = new ArrayList<>();
        int established;
        int disconnected;
        int completed;
        private final WorkCompletion[] some = WorkCompletion.array(64);

        Side(Context context) {
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(4 * CONNECTIONS);
            events = context.createEventChannel();
            memory = domain.allocate(4096, AccessFlag.LOCAL_WRITE);
        }

        QueuePair queuePair(CmId id) {
            QueuePair queuePair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(2)
                            .maxReceiveWorkRequests(2)
                            .maxSendElements(1)
                            .maxReceiveElements(1)
                            .build());
            queuePair.postReceive(new ReceiveWorkRequest().add(memory, 0, 64));
            ids.add(id);
            return queuePair;
        }

        void step() {
            CmEvent event = events.poll();
            while (event != null) {
                switch (event.type()) {
                    case CONNECT_REQUEST -> {
                        queuePair(event.id());
                        event.id().accept(ConnectionParameters.DEFAULT);
                    }
                    case ESTABLISHED -> established++;
                    case DISCONNECTED -> {
                        assertThat(event.error()).isNull();
                        disconnected++;
                    }
                    default -> assertThat(event.error()).as(event.toString()).isNull();
                }
                event = events.poll();
            }
            int taken = completions.poll(some);
            while (taken > 0) {
                for (int i = 0; i < taken; i++) {
                    completed += some[i].succeeded() ? 1 : 0;
                }
                taken = completions.poll(some);
            }
        }

        void send() {
            SendWorkRequest request = new SendWorkRequest().add(memory, 0, 64);
            ids.forEach(id -> Objects.requireNonNull(id.queuePair()).postSend(request));
        }
    }

    @EachTcpWorld
    @DisplayName("A thousand connections are established, exchange messages, and end in order, in one process")
    void thousand(World.Kind kind) {
        try (World world = World.of(kind)) {
            Side server = new Side(world.listening());
            Side client = new Side(world.connecting());
            CmId listener = world.listening().createId(server.events);
            listener.bind(world.address(0));
            listener.listen(CONNECTIONS);
            InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
            for (int i = 0; i < CONNECTIONS; i++) {
                CmId id = world.connecting().createId(client.events);
                id.resolveAddress(null, address);
                client.queuePair(id);
                id.connect(ConnectionParameters.DEFAULT);
                server.step();
                client.step();
            }
            world.until("all are established", () -> {
                server.step();
                client.step();
                return server.established == CONNECTIONS && client.established == CONNECTIONS;
            });
            client.send();
            server.send();
            world.until("all messages arrived", () -> {
                server.step();
                client.step();
                return server.completed == 2 * CONNECTIONS && client.completed == 2 * CONNECTIONS;
            });
            client.ids.forEach(CmId::disconnect);
            world.until("all are disconnected", () -> {
                server.step();
                client.step();
                return server.disconnected == CONNECTIONS && client.disconnected == CONNECTIONS;
            });
        }
    }
}
