import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A datagram server that shows memory and answers Sends, and clients that come, work and go. */
final class Datagrams implements World {
    /** Tables of fixed size are small here, so that they are full before memory is judged. */
    private static final Map<String, String> SMALL =
            Map.of("jwarp.udp.sources", "64", "jwarp.datagram.seen", "1024", "jwarp.rd.channels", "256");

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final int MEMORY = 64 << 10;
    private static final int RECEIVES = 32;
    private static final int ROUNDS_OF_A_CLIENT = 20;
    private static final int[] SIZES = {1, 100, 1400, 5_000, 20_000};
    private static final AccessFlag[] SHOWN = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD
    };

    private final String name;
    private final QueuePairType type;
    private final Context serverContext;
    private final Context clientContext;
    private final End server;
    private final Thread serving;
    private volatile boolean over;
    private End client;
    private AddressHandle peer;
    private int rounds;
    /** Of the server's thread: which client it is answering. */
    private final Map<Long, AddressHandle> askers = new HashMap<>();

    private long answers;

    private final class End {
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final DatagramQueuePair pair;
        final MemoryRegion memory;
        final WorkCompletion[] one = WorkCompletion.array(1);

        End(Context context) {
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(256);
            pair = domain.createDatagramQueuePair(
                    type,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(RECEIVES)
                            .maxReceiveWorkRequests(RECEIVES)
                            .build(),
                    DatagramAttributes.builder(new InetSocketAddress("127.0.0.1", 0)).build());
            memory = domain.allocate(2 * MEMORY, SHOWN);
        }

        void receive(int place) {
            pair.postReceive(new ReceiveWorkRequest().id(place).add(memory, MEMORY + place * 16L, 16));
        }

        /** {@return the next completion, which succeeded; null if none came in time} */
        WorkCompletion next(Duration limit) {
            if (completions.await(one, limit) == 0) {
                return null;
            }
            if (!one[0].succeeded()) {
                throw new IllegalStateException(name + ": " + one[0].describe());
            }
            return one[0];
        }

        void close() {
            pair.close();
            memory.close();
            completions.close();
            domain.close();
        }
    }

    Datagrams(QueuePairType type, Progress progress) {
        this.type = type;
        name = type.name().toLowerCase(Locale.ROOT) + "-" + progress.name().toLowerCase(Locale.ROOT);
        serverContext = RdmaProvider.load().device("jwarp0").open(progress, SMALL);
        clientContext = RdmaProvider.load().device("jwarp0").open(progress, SMALL);
        server = new End(serverContext);
        for (int i = 0; i < RECEIVES; i++) {
            server.receive(i);
        }
        serving = new Thread(this::serve, name + "-server");
        serving.start();
    }

    @Override
    public String name() {
        return name;
    }

    /** Writes a record, reads it back, and asks for an answer; now and then another client does. */
    @Override
    public void round() {
        World.takeEvents(clientContext, serverContext);
        if (client == null) {
            client = new End(clientContext);
            peer = client.pair.createAddressHandle(server.pair.localAddress(), server.pair.number(), server.pair.key());
        }
        rounds++;
        int size = SIZES[rounds % SIZES.length];
        for (int i = 0; i < size; i++) {
            client.memory.buffer().put(i, (byte) (rounds + i));
            client.memory.buffer().put(MEMORY + i, (byte) 0);
        }
        long there = server.memory.address();
        int rkey = server.memory.rkey();
        client.pair.postSend(new SendWorkRequest().destination(peer).writeRecord(there, rkey).add(client.memory, 0, size));
        expect(WorkCompletionOpcode.WRITE_RECORD);
        client.pair.postSend(new SendWorkRequest().destination(peer).rdmaRead(there, rkey).add(client.memory, MEMORY, size));
        expect(WorkCompletionOpcode.RDMA_READ);
        for (int i = 0; i < size; i++) {
            if (client.memory.buffer().get(MEMORY + i) != (byte) (rounds + i)) {
                throw new IllegalStateException(name + ": byte " + i + " of " + size + " is wrong");
            }
        }
        client.receive(0);
        client.memory.buffer().putInt(0, client.pair.key());
        client.pair.postSend(new SendWorkRequest().destination(peer).send().signaled(false).add(client.memory, 0, 4));
        expect(WorkCompletionOpcode.RECV);
        if (rounds % ROUNDS_OF_A_CLIENT == 0) {
            leave();
        }
    }

    private void expect(WorkCompletionOpcode opcode) {
        WorkCompletion done = client.next(LIMIT);
        if (done == null || done.opcode() != opcode) {
            throw new IllegalStateException(name + ": no " + opcode + " but " + (done == null ? "nothing" : done.opcode()));
        }
        done.release();
    }

    private void leave() {
        peer.close();
        client.close();
        client = null;
    }

    private void serve() {
        while (!over) {
            try {
                WorkCompletion done = server.next(MOMENT);
                if (done == null) {
                    continue;
                } else if (done.opcode() == WorkCompletionOpcode.RECV) {
                    int place = (int) done.id();
                    int key = server.memory.buffer().getInt(MEMORY + place * 16);
                    AddressHandle asker = server.pair.createAddressHandle(done, key);
                    askers.put(++answers, asker);
                    server.pair.postSend(new SendWorkRequest().id(answers).destination(asker).send().add(server.memory, 0, 1));
                    server.receive(place);
                } else if (done.opcode() == WorkCompletionOpcode.SEND) {
                    askers.remove(done.id()).close();
                }
                done.release();
            } catch (RuntimeException e) {
                if (!over) {
                    Soak.failed(name + "'s server", e);
                }
            }
        }
    }

    @Override
    public void close() {
        over = true;
        if (client != null) {
            leave();
        }
        try {
            serving.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clientContext.close();
        serverContext.close();
    }
}
