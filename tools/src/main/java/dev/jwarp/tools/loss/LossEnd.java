package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The resources of one end of a trial: a context, a queue pair, memory. One thread. */
final class LossEnd implements AutoCloseable {
    private static final String CONNECTIONS = "jwarp0";
    private static final String DATAGRAMS = "jwarp0";
    private static final int BATCH = 32;
    /** Immediate Data take a receive of 8 bytes (RFC 7306 §6): room for them behind all messages. */
    private static final int IMMEDIATE = 8;

    private static final Duration NAP = Duration.ofMillis(1);

    private final LossTrial trial;
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final WorkCompletion[] batch = WorkCompletion.array(BATCH);
    private final MemoryRegion memory;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private @Nullable QueuePair queuePair;
    private @Nullable String trouble;

    LossEnd(RdmaProvider provider, LossTrial trial) {
        this.trial = trial;
        boolean connected = trial.service().connected();
        context = provider.device(connected ? CONNECTIONS : DATAGRAMS).open(trial.settings());
        domain = context.allocateProtectionDomain();
        // Sends, receives, and Write-Records, for which no receive is posted.
        completions = context.createCompletionQueue(3 * trial.depth() + BATCH);
        EnumSet<AccessFlag> access =
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        if (!connected) {
            access.add(AccessFlag.RECORD);
        }
        memory = allocate(access);
    }

    private MemoryRegion allocate(EnumSet<AccessFlag> access) {
        int bytes = trial.messages() * trial.size() + IMMEDIATE;
        try {
            return domain.allocate(bytes, access);
        } catch (RdmaException e) {
            context.close();
            if (e.code() != RdmaErrorCode.LIMIT_REACHED) {
                throw e;
            }
            throw ToolFailure.setup(
                    "the messages of " + trial.title() + " do not fit into this JVM: " + (bytes >> 20)
                            + " MiB at each end",
                    "use fewer messages (--messages, --volume), or more memory"
                            + " (JWARP_JAVA_OPTS=-XX:MaxDirectMemorySize=1g)");
        }
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(trial.depth())
                .maxReceiveWorkRequests(trial.depth())
                .maxSendElements(1)
                .maxReceiveElements(1)
                .build();
    }

    /** Makes a datagram queue pair. */
    DatagramQueuePair bind(InetAddress local) {
        Duration idle = Duration.ofMillis(trial.idleMillis());
        DatagramQueuePair made = domain.createDatagramQueuePair(
                trial.service().type(),
                attributes(),
                DatagramAttributes.builder(new InetSocketAddress(local, 0))
                        .reportIncomplete(true)
                        .timeouts(new DatagramTimeouts(idle, Duration.ofSeconds(5), idle, trial.rate()))
                        .maxMessage(Math.max(256, trial.size()))
                        .maxRead(trial.size())
                        .pathMtu(trial.mtu())
                        .build());
        queuePair = made;
        return made;
    }

    /** Makes the queue pair of a connection. */
    QueuePair of(CmId id) {
        QueuePair made = id.createQueuePair(domain, attributes());
        queuePair = made;
        return made;
    }

    Context context() {
        return context;
    }

    QueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    MemoryRegion memory() {
        return memory;
    }

    /** {@return the offset of a message in the memory} */
    int offset(int message) {
        return message * trial.size();
    }

    /** Posts a receive, for a message or for Immediate Data. */
    void postReceive(int place) {
        boolean immediate = trial.service() == Service.RC_WRITE;
        queuePair()
                .postReceive(receive.clear()
                        .id(place)
                        .add(
                                memory,
                                immediate ? offset(trial.messages()) : offset(place),
                                immediate ? IMMEDIATE : trial.size()));
    }

    /** {@return a completion of the latest {@link #poll}, valid until the next one} */
    WorkCompletion completion(int index) {
        return batch[index];
    }

    /** {@return the number of completions now} */
    int poll() {
        return completions.poll(batch);
    }

    /** {@return the number of completions, after a short wait if there are none} */
    int await() {
        return completions.await(batch, NAP);
    }

    /** {@return a counter of the context, now} */
    long counter(String name) {
        for (Counter counter : context.counters()) {
            if (counter.name().equals(name)) {
                return counter.value();
            }
        }
        return 0;
    }

    /** Notes a failure. The first failure counts. */
    void trouble(String what) {
        if (trouble == null) {
            trouble = what.lines().findFirst().orElse(what);
        }
    }

    boolean troubled() {
        return trouble != null;
    }

    /** Takes the events of the device. Not after the trial, because the end of the other context is no trouble. */
    void takeEvents() {
        for (AsyncEvent event = context.pollAsyncEvent(); event != null; event = context.pollAsyncEvent()) {
            trouble(event.sentence());
        }
    }

    Report end() {
        Map<String, Long> counters = new HashMap<>();
        for (Counter counter : context.counters()) {
            if (counter.value() != 0) {
                counters.put(counter.name(), counter.value());
            }
        }
        return new Report(counters, queuePair instanceof DatagramQueuePair pair ? pair.receiveBuffer() : 0, trouble);
    }

    @Override
    public void close() {
        context.close();
    }

    /**
     * Address and memory of the target, which the source needs.
     *
     * @param host address of its port, without a name
     * @param port its UDP or TCP port
     * @param queuePairNumber the number of its queue pair; 0 for connections
     * @param key the key of its queue pair; 0 for connections
     * @param address of its memory
     * @param rkey for its memory
     */
    record Place(String host, int port, int queuePairNumber, int key, long address, int rkey) {
        InetSocketAddress socketAddress() {
            return new InetSocketAddress(host, port);
        }
    }

    /**
     * The result of one end of a trial.
     *
     * @param counters of its context that are not 0
     * @param receiveBuffer bytes that the kernel grants each socket; 0 for connections
     * @param trouble the first failure; null if there was none
     */
    record Report(
            Map<String, Long> counters,
            int receiveBuffer,
            @Nullable String trouble) {
        /** {@return the same with one more counter} */
        Report with(String name, long value) {
            Map<String, Long> more = new HashMap<>(counters);
            more.put(name, value);
            return new Report(more, receiveBuffer, trouble);
        }

        long counter(String name) {
            return counters.getOrDefault(name, 0L);
        }
    }
}
