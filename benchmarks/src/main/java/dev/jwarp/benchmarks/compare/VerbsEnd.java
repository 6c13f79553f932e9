package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** One end of a jwarp connection, with the parts every workload needs. Used by one thread. */
final class VerbsEnd implements AutoCloseable {
    static final int DEPTH = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Only who waits without a limit may be put to sleep in a blocking read. */
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    final Context context;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion region;
    final WorkCompletion[] batch = WorkCompletion.array(32);
    final SendWorkRequest send = new SendWorkRequest();
    final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final boolean spin;

    /**
     * @param arguments {@code wait}: {@code spin}, {@code block} or {@code select} (inline), or {@code threaded}; {@code crc};
     *     settings of jwarp
     */
    VerbsEnd(Arguments arguments, int regionLength) {
        String mode = arguments.text("wait", "block");
        spin = mode.equals("spin");
        Progress progress = mode.equals("threaded") ? Progress.THREADED : Progress.INLINE;
        Map<String, String> settings = new HashMap<>(arguments.settings());
        settings.put("jwarp.mpa.crc", arguments.text("crc", "on"));
        if (progress == Progress.INLINE) {
            settings.put("jwarp.tcp.wait", mode);
        }
        context = RdmaProvider.load().devices().get(0).open(progress, settings);
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(4 * DEPTH);
        region = domain.register(
                ByteBuffer.allocateDirect(regionLength),
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC);
    }

    QueuePairAttributes attributes() {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(DEPTH)
                .maxReceiveWorkRequests(DEPTH)
                .build();
    }

    /** Listens on a free port. */
    CmId listen() {
        CmId listener = context.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        return listener;
    }

    /** Connects, with receives posted by {@code prepare} first. */
    QueuePair connect(InetSocketAddress server, java.util.function.Consumer<QueuePair> prepare) {
        CmId id = context.createId();
        id.resolveAddress(null, server);
        QueuePair pair = id.createQueuePair(domain, attributes());
        prepare.accept(pair);
        id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        return pair;
    }

    /** Takes the one connection of {@code listener}. */
    QueuePair accept(CmId listener, java.util.function.Consumer<QueuePair> prepare) {
        CmId id = listener.getRequest(PATIENCE);
        if (id == null) {
            throw new IllegalStateException("nobody connected");
        }
        QueuePair pair = id.createQueuePair(domain, attributes());
        prepare.accept(pair);
        id.accept(ConnectionParameters.DEFAULT);
        return pair;
    }

    void postReceive(QueuePair pair, long id, int offset, int length) {
        pair.postReceive(receive.clearElements().id(id).add(region, offset, length));
    }

    /** Completions; at least one, if it is not to spin. All must be good. */
    int completions() {
        int count = spin ? completions.poll(batch) : completions.await(batch, FOR_EVER);
        for (int i = 0; i < count; i++) {
            if (!batch[i].succeeded()) {
                throw new IllegalStateException(batch[i].describe());
            }
        }
        return count;
    }

    @Override
    public void close() {
        context.close();
    }
}
