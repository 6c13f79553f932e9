package dev.jwarp.benchmarks.datagram;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.Device;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of two ends, over RC or UD alike: a queue pair, memory, and a word for each thing to do with them. All messages come
 * to the same place in memory and leave from the same place, as in perftest. Used by one thread at a time.
 */
final class End implements AutoCloseable {
    static final int LONGEST = 1 << 20;
    static final int DEPTH = 512;
    /** Octets of a note: nobody measures messages of that length. */
    static final int NOTE = 8;

    private static final int SOURCE = LONGEST + NOTE;
    private static final int NOTE_OUT = 2 * LONGEST + NOTE;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(20);

    final WorkCompletion[] batch = WorkCompletion.array(32);
    private final Setup setup;
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private @Nullable QueuePair pair;
    private @Nullable AddressHandle peer;
    private long remoteAddress;
    private int remoteKey;

    private End(Setup setup) {
        this.setup = setup;
        Device device = RdmaProvider.load().device(setup.datagrams() ? "jwarp_udp0" : "jwarp0");
        boolean threaded = setup.waiting() == Setup.Waiting.THREADED;
        context = device.open(threaded ? Progress.THREADED : Progress.INLINE, setup.settings());
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(4 * DEPTH);
        region = domain.allocate(
                NOTE_OUT + NOTE,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.RECORD);
        for (int i = 0; i < LONGEST; i++) {
            region.buffer().put(SOURCE + i, (byte) (i * 31));
        }
    }

    /** {@return two ends that know each other, with receives posted} */
    static End[] two(Setup setup) throws InterruptedException {
        End one = new End(setup);
        End other = new End(setup);
        if (setup.datagrams()) {
            one.bind();
            other.bind();
            one.name(other);
            other.name(one);
        } else {
            connect(one, other);
        }
        one.remoteAddress = other.region.address();
        one.remoteKey = other.region.rkey();
        other.remoteAddress = one.region.address();
        other.remoteKey = one.region.rkey();
        return new End[] {one, other};
    }

    private void bind() {
        DatagramQueuePair made = domain.createDatagramQueuePair(
                QueuePairType.UD,
                attributes(),
                DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .pathMtu(setup.pathMtu())
                        .build());
        pair = made;
        postReceives();
    }

    private void name(End other) {
        DatagramQueuePair theirs = (DatagramQueuePair) other.pair();
        peer = ((DatagramQueuePair) pair()).createAddressHandle(theirs.localAddress(), theirs.number(), theirs.key());
    }

    private static void connect(End client, End server) throws InterruptedException {
        CmId listener = server.context.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        Thread accepting = new Thread(
                () -> {
                    CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "nobody connected");
                    server.pair = id.createQueuePair(server.domain, server.attributes());
                    server.postReceives();
                    id.accept(ConnectionParameters.DEFAULT);
                },
                "accepting");
        accepting.start();
        CmId id = client.context.createId();
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        client.pair = id.createQueuePair(client.domain, client.attributes());
        client.postReceives();
        id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        accepting.join();
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(DEPTH)
                .maxReceiveWorkRequests(DEPTH)
                .build();
    }

    private QueuePair pair() {
        return Objects.requireNonNull(pair, "not yet connected");
    }

    private void postReceives() {
        for (int i = 0; i < DEPTH; i++) {
            postReceive();
        }
    }

    // ---- what is measured

    void postReceive() {
        pair().postReceive(receive.clear().add(region, 0, LONGEST));
    }

    /** Posts {@code operation} with so many octets; Reads fetch what the peer's messages leave from. */
    void post(Setup.Operation operation, int length, boolean signaled) {
        send.clear().signaled(signaled).add(region, operation == Setup.Operation.READ ? 0 : SOURCE, length);
        switch (operation) {
            case SEND -> send.send();
            case WRITE -> {
                if (setup.datagrams()) {
                    send.writeRecord(remoteAddress, remoteKey);
                } else {
                    send.rdmaWrite(remoteAddress, remoteKey);
                }
            }
            case READ -> send.rdmaRead(remoteAddress + SOURCE, remoteKey);
        }
        post();
    }

    /** Sends a number in a message of its own. */
    void note(long number) {
        region.buffer().putLong(NOTE_OUT, number);
        send.clear().signaled(false).add(region, NOTE_OUT, NOTE);
        post();
    }

    private void post() {
        AddressHandle to = peer;
        if (to != null) {
            send.destination(to);
        }
        pair().postSend(send);
    }

    /** {@return the number of the note that came last, if nothing else came after it} */
    long lastNote() {
        return region.buffer().getLong(0);
    }

    /** Changes the last octet of what is sent. */
    void mark(int length, byte mark) {
        region.buffer().put(SOURCE + length - 1, mark);
    }

    void clear(int length) {
        region.buffer().put(length - 1, (byte) 0);
    }

    /** {@return whether the last octet of what came is this} */
    boolean marked(int length, byte mark) {
        return region.buffer().get(length - 1) == mark;
    }

    /** Completions into {@link #batch}; where it may sleep, waits a little for one. */
    int completions() {
        return setup.waiting() == Setup.Waiting.SPIN ? completions.poll(batch) : completions.await(batch, SHORT);
    }

    /** {@return how many datagrams the kernel had no room for here} */
    long dropped() {
        return pair instanceof DatagramQueuePair udp
                ? KernelDrops.atPort(udp.localAddress().getPort())
                : 0;
    }

    @Override
    public void close() {
        context.close();
    }
}
