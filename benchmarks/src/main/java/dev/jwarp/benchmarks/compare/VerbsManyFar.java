package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
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
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The far end of {@link VerbsMany}: many queue pairs, each of which sends back its messages. It is a thread, or a
 * process of its own, because one process may not open 20,000 sockets. First it prints its addresses, one a line; over
 * datagrams it then reads the address of the near end.
 */
final class VerbsManyFar {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int TO_A_PORT = 100;
    private static final int DEPTH = 4;

    final int count;
    final int size;
    final boolean datagrams;
    final Context context;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion region;
    final WorkCompletion[] batch = WorkCompletion.array(64);
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    /** The parts that both ends need. */
    VerbsManyFar(Arguments arguments) {
        count = arguments.number("connections", 1);
        size = arguments.number("size", 64);
        datagrams = arguments.is("service", "ud");
        context = RdmaProvider.load().device("jwarp0").open(Progress.INLINE, Map.copyOf(arguments.settings()));
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(Math.max(1024, 2 * DEPTH * count));
        region = domain.allocate(2 * size, AccessFlag.LOCAL_WRITE);
    }

    public static void main(String[] arguments) throws IOException {
        VerbsManyFar far = new VerbsManyFar(Arguments.of(Arrays.asList(arguments)));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        far.serve(System.out::println, () -> in.readLine());
    }

    /** Source of lines. */
    interface Words {
        String next() throws IOException, InterruptedException;
    }

    QueuePairAttributes attributes(int depth) {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(depth)
                .maxReceiveWorkRequests(depth)
                .maxSendElements(1)
                .maxReceiveElements(1)
                .build();
    }

    void postReceive(QueuePair pair, long id) {
        pair.postReceive(receive.clearElements().id(id).add(region, 0, size));
    }

    /** A Send of {@code size} bytes, to that peer unless the queue pair is connected. */
    void postSend(QueuePair pair, AddressHandle... peer) {
        send.clear().signaled(true).add(region, size, size);
        if (peer.length > 0) {
            send.destination(peer[0]);
        }
        pair.postSend(send);
    }

    DatagramQueuePair datagramPair(int port, int depth) {
        return domain.createDatagramQueuePair(
                QueuePairType.UD,
                attributes(depth),
                DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .pathMtu(1500)
                        .build());
    }

    /** {@return number of successful completions; sleeps until there is one, but only for a short time} */
    int await() {
        int done = completions.await(batch, SHORT);
        for (int i = 0; i < done; i++) {
            if (!batch[i].succeeded()) {
                throw new IllegalStateException(batch[i].describe());
            }
        }
        return done;
    }

    /** Never returns: the process ends with the near end. */
    void serve(Consumer<String> say, Words words) throws IOException {
        QueuePair[] pairs = new QueuePair[count];
        AddressHandle[][] peers = new AddressHandle[count][0];
        try {
            if (datagrams) {
                open(pairs, peers, say, words);
            } else {
                accept(pairs, say);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        while (!Thread.currentThread().isInterrupted()) {
            int done = await();
            for (int i = 0; i < done; i++) {
                if (batch[i].opcode() == WorkCompletionOpcode.RECV) {
                    int which = (int) batch[i].id();
                    batch[i].release();
                    postReceive(pairs[which], which);
                    postSend(pairs[which], peers[which]);
                }
            }
        }
    }

    private void open(QueuePair[] pairs, AddressHandle[][] peers, Consumer<String> say, Words words)
            throws IOException, InterruptedException {
        int port = 0;
        for (int i = 0; i < count; i++) {
            DatagramQueuePair pair = datagramPair(i % TO_A_PORT == 0 ? 0 : port, DEPTH);
            port = pair.localAddress().getPort();
            pairs[i] = pair;
            postReceive(pair, i);
            say.accept(port + " " + pair.number() + " " + pair.key());
        }
        String near = words.next();
        for (int i = 0; i < count; i++) {
            peers[i] = new AddressHandle[] {handle((DatagramQueuePair) pairs[i], near)};
        }
        say.accept("ready");
    }

    static AddressHandle handle(DatagramQueuePair pair, String words) {
        String[] part = words.split(" ", -1);
        return pair.createAddressHandle(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(part[0])),
                Integer.parseInt(part[1]),
                Integer.parseInt(part[2]));
    }

    private void accept(QueuePair[] pairs, Consumer<String> say) {
        CmId listener = context.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(128);
        say.accept(
                String.valueOf(Objects.requireNonNull(listener.localAddress()).getPort()));
        for (int i = 0; i < count; i++) {
            CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
            pairs[i] = id.createQueuePair(domain, attributes(DEPTH));
            postReceive(pairs[i], i);
            id.accept(ConnectionParameters.DEFAULT);
        }
        say.accept("ready");
    }
}
