package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The memory of a server, each of whose clients has sent one message. Over RC each client has a connection, with
 * receives of its own; over UD all share one queue pair. The kernel's memory does not count.
 */
final class ClientMemory implements StudyApplication {
    private static final int MESSAGE = 512;
    private static final int SHARED_RECEIVES = 1_024;
    /** Clients of one context and port. */
    private static final int SHARING = 64;

    private final ApplicationParameters parameters;
    private final int clients;
    private final int size;
    private final List<Context> open = new ArrayList<>();
    private final WorkCompletion[] some = WorkCompletion.array(2 * SHARING);

    /** @param parameters {@code over=rc|ud clients=N receives=N size=BYTES} */
    ClientMemory(ApplicationParameters parameters) {
        this.parameters = parameters;
        clients = parameters.number("clients");
        size = parameters.number("size");
    }

    @Override
    public Map<String, Double> run() {
        boolean connected = parameters.text("over").equals("rc");
        int receives = connected ? parameters.number("receives") : SHARED_RECEIVES;
        double taken;
        try {
            taken = connected ? connections(receives) : datagrams(receives);
        } finally {
            open.forEach(Context::close);
        }
        double buffers = (connected ? clients : 1.0) * receives * size;
        return Map.of("memory_mb", taken / 1e6, "buffers_mb", buffers / 1e6, "client_kb", taken / 1e3 / clients);
    }

    private ProtectionDomain domain() {
        Context context = RdmaProvider.load()
                .devices()
                .get(0)
                .open(Progress.INLINE, Map.of("jwarp.udp.unheard-pace", "0", "jwarp.tcp.max-connections", "100000"));
        open.add(context);
        return context.allocateProtectionDomain();
    }

    /** Half of what both ends take together, as they are alike. */
    private double connections(int receives) {
        ProtectionDomain domain = domain();
        CompletionQueue completions = domain.context().createCompletionQueue(1 << 18);
        OwnPeer server = new OwnPeer(
                domain,
                QueuePairAttributes.builder(completions).maxSendWorkRequests(1).maxReceiveWorkRequests(receives));
        MemoryRegion message = domain.allocate(MESSAGE, AccessFlag.LOCAL_WRITE);
        double before = 0;
        for (int i = 0; i <= clients; i++) {
            QueuePair[] pair = server.connect();
            for (QueuePair end : pair) {
                post(domain, end, receives);
            }
            pair[0].postSend(new SendWorkRequest().add(message, 0, MESSAGE));
            await(completions, 2);
            if (i == 0) { // what the first client took is there once
                before = used();
            }
        }
        return (used() - before) / 2;
    }

    private double datagrams(int receives) {
        List<DatagramQueuePair> all = new ArrayList<>();
        List<MemoryRegion> messages = new ArrayList<>();
        while (all.size() < clients) {
            ProtectionDomain domain = domain();
            CompletionQueue sent = domain.context().createCompletionQueue(2 * SHARING);
            InetSocketAddress port = OwnPeer.anyPort();
            for (int i = 0; i < SHARING && all.size() < clients; i++) {
                DatagramQueuePair client = datagrams(domain, port, sent, 1);
                port = client.localAddress();
                all.add(client);
                messages.add(domain.allocate(MESSAGE, AccessFlag.LOCAL_WRITE));
            }
        }
        Server warm = new Server(receives, all);
        warm.register(all, messages, 0); // after which the clients have what they need
        Server server = new Server(receives, all);
        double before = used();
        server.register(all, messages, receives);
        return used() - before;
    }

    /** A queue pair that all clients share, and what the clients need to reach it. */
    private final class Server {
        private final ProtectionDomain domain = domain();
        private final CompletionQueue completions;
        private final DatagramQueuePair queuePair;
        private final List<AddressHandle> handles = new ArrayList<>();

        Server(int receives, List<DatagramQueuePair> clients) {
            completions = domain.context().createCompletionQueue(2 * receives);
            queuePair = datagrams(domain, OwnPeer.anyPort(), completions, receives + 1);
            for (DatagramQueuePair client : clients) {
                handles.add(client.createAddressHandle(queuePair.localAddress(), queuePair.number(), queuePair.key()));
            }
        }

        void register(List<DatagramQueuePair> clients, List<MemoryRegion> messages, int receives) {
            post(domain, queuePair, receives);
            MemoryRegion again = domain.allocate(size, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < clients.size(); i++) {
                queuePair.postReceive(new ReceiveWorkRequest().add(again, 0, size));
                clients.get(i)
                        .postSend(new SendWorkRequest()
                                .destination(handles.get(i))
                                .add(messages.get(i), 0, MESSAGE));
                await(clients.get(i).attributes().sendCompletionQueue(), 1);
                await(completions, 1);
            }
        }
    }

    private static DatagramQueuePair datagrams(
            ProtectionDomain domain, InetSocketAddress local, CompletionQueue completions, int receives) {
        return domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(1)
                        .maxReceiveWorkRequests(receives)
                        .build(),
                DatagramAttributes.builder(local).build());
    }

    private void post(ProtectionDomain domain, QueuePair pair, int receives) {
        MemoryRegion memory = domain.allocate(receives * size, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < receives; i++) {
            pair.postReceive(new ReceiveWorkRequest().add(memory, (long) i * size, size));
        }
    }

    private void await(CompletionQueue completions, int count) {
        for (int done = 0; done < count; ) {
            int more = completions.await(some, ApplicationParameters.PATIENCE);
            if (more == 0 || !Arrays.stream(some, 0, more).allMatch(WorkCompletion::succeeded)) {
                throw ToolFailure.failed("a message of a client is lost");
            }
            done += more;
        }
    }

    /** {@return bytes of heap and direct buffers in use} */
    private static double used() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + (double) ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
