package dev.jwarp.rnic.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramCounter;
import dev.jwarp.rdmap.datagram.DatagramEndpoint;
import dev.jwarp.rdmap.datagram.DatagramListener;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rdmap.datagram.EndpointCore;
import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicSetting;
import dev.jwarp.rnic.datagram.DatagramPorts.SharedPort;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.rnic.queuepair.QueuePairs;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The part of a context for datagrams: ports, services and queue pairs. Any thread. */
public final class Datagrams implements RnicDatagramQueuePair.Home {
    private static final int NUMBERS = Shim.GROUP_QPN - Shim.SMALLEST_QPN;

    private final ContextCore core;
    private final CompletionQueues completionQueues;
    private final DatagramPorts ports;
    private final DatagramLimits limits;
    private final RandomGenerator randomness;
    private final DatagramServices services;
    private final QueuePairs<RnicDatagramQueuePair> queuePairs;

    /** Counts of closed queue pairs; guarded by itself. */
    private final Tally<DatagramCounter> counted = new Tally<>(DatagramCounter.class);

    public Datagrams(
            ContextCore core,
            CompletionQueues completionQueues,
            DatagramTransport transport,
            Configuration configuration) {
        this.core = core;
        this.completionQueues = completionQueues;
        randomness = core.randomness();
        limits = new DatagramLimits(configuration);
        ports = new DatagramPorts(transport, randomness, configuration.number(RnicSetting.SEEN));
        services = new DatagramServices(core, ports);
        queuePairs = new QueuePairs<>(core, completionQueues);
    }

    public DatagramServices services() {
        return services;
    }

    public RnicDatagramQueuePair newQueuePair(
            RnicProtectionDomain domain, QueuePairType type, QueuePairAttributes wanted, DatagramAttributes datagrams) {
        if (type == QueuePairType.RC) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A datagram queue pair is of type UD or RD. One of type RC has a connection: create it without DatagramAttributes.");
        }
        queuePairs.check(wanted);
        DatagramLimits.check(datagrams);
        int number = takeNumber(datagrams);
        SharedPort port = null;
        RnicDatagramQueuePair queuePair = null;
        try {
            port = datagrams.oneIpVersion()
                    ? ports.useAt(datagrams.localAddress())
                    : ports.use(datagrams.localAddress());
            RnicDatagramQueuePair.Place place =
                    new RnicDatagramQueuePair.Place(type, port, datagrams.key().orElseGet(randomness::nextInt));
            DatagramCompleter completer = new DatagramCompleter(
                    number,
                    completionQueues.own(wanted.sendCompletionQueue()),
                    completionQueues.own(wanted.receiveCompletionQueue()));
            queuePair = new RnicDatagramQueuePair(this, domain, place, wanted, completer, datagrams);
            queuePairs.add(queuePair);
            queuePair.attach();
            return queuePair;
        } catch (Throwable e) {
            boolean known = queuePair != null && queuePairs.remove(queuePair); // removed from wherever it was added
            boolean closed = !known && queuePair != null && queuePair.closed(); // by another thread, which released all
            if (!known && !closed) {
                core.freeQueuePairNumber(number);
            }
            if (!closed && port != null) {
                ports.leave(port);
            }
            throw e;
        }
    }

    private int takeNumber(DatagramAttributes datagrams) {
        if (datagrams.queuePairNumber().isPresent()) {
            int number = datagrams.queuePairNumber().getAsInt();
            if (!core.takeQueuePairNumber(number)) {
                throw new RdmaException(
                        RdmaErrorCode.ADDRESS_IN_USE,
                        "There is a queue pair " + number + " in this context already. Leave the number out, and a"
                                + " random one is found.");
            }
            return number;
        }
        // Random numbers: datagrams for a queue pair of an earlier process do not reach one of this process
        // (datagram-iWARP §4.2).
        int number;
        do {
            number = Shim.SMALLEST_QPN + randomness.nextInt(NUMBERS);
        } while (!core.takeQueuePairNumber(number));
        return number;
    }

    @Override
    public DatagramEndpoint newEndpoint(RnicDatagramQueuePair queuePair, DatagramListener listener) {
        EndpointCore what = new EndpointCore(
                RnicDatagramQueuePair.service(queuePair.type()), queuePair.number(), settings(queuePair), listener);
        DatagramEndpoint.Queues queues = new DatagramEndpoint.Queues(
                queuePair.sends().operations(), queuePair.receives().source(), queuePair.receives()::depth);
        TaggedAccess memory =
                new TaggedAccess(core.tags(), queuePair.protectionDomain().id(), 0);
        return new DatagramEndpoint(what, memory, queues, queuePair.port().seen(), randomness);
    }

    @Override
    public DatagramSettings settings(RnicDatagramQueuePair queuePair) {
        return limits.of(queuePair.datagramAttributes(), queuePair.attributes().weight(), queuePair.timeouts());
    }

    // ---- for objects of the context

    /** Reports the use of a queue pair's limits, including those that its port shares with others. Any thread. */
    public void limits(RnicDatagramQueuePair queuePair, LimitSink sink) {
        queuePair.endpoint().endpoint().limits(sink);
        if (queuePair.endpoint().wasAttached()) {
            queuePair.endpoint().lower().limits(sink);
        }
        queuePair.port().seen().limits(sink);
    }

    @Override
    public void remove(RnicDatagramQueuePair queuePair) {
        if (queuePairs.remove(queuePair)) {
            synchronized (counted) {
                counted.addAll(queuePair.endpoint().counters());
            }
            ports.leave(queuePair.port());
        }
    }

    /**
     * A region was deregistered: queue pairs of its domain drop their references to it. Waits for placements in
     * progress.
     */
    public void deregistered(RnicProtectionDomain domain, TaggedBuffer registration) {
        List<OwnerAnswer> answers = new ArrayList<>();
        for (RnicDatagramQueuePair queuePair : List.copyOf(queuePairs.all())) {
            if (queuePair.protectionDomain() == domain && queuePair.endpoint().wasAttached()) {
                OwnerAnswer answer = queuePair.endpoint().answer();
                queuePair.endpoint().deregistered(registration, answer);
                answers.add(answer);
            }
        }
        for (OwnerAnswer answer : answers) {
            // Without a timeout: if the owner of a port has ended, the calling thread runs the task itself.
            answer.await(Long.MAX_VALUE);
        }
    }

    public QueuePairs<RnicDatagramQueuePair> queuePairs() {
        return queuePairs;
    }

    /** {@return these counters and those of all endpoints; counters of the same name are added} */
    public List<Counter> withCounters(List<Counter> others) {
        Tally<DatagramCounter> sums = new Tally<>(DatagramCounter.class);
        synchronized (counted) {
            sums.addAll(counted);
        }
        for (RnicDatagramQueuePair queuePair : List.copyOf(queuePairs.all())) {
            sums.addAll(queuePair.endpoint().counters());
        }
        Map<String, Counter> all = new LinkedHashMap<>();
        others.forEach(counter -> all.put(counter.name(), counter));
        for (DatagramCounter counter : DatagramCounter.values()) {
            all.merge(
                    counter.counterName(),
                    new Counter(counter.counterName(), sums.get(counter), counter.sentence()),
                    (port, endpoint) -> new Counter(port.name(), port.value() + endpoint.value(), port.sentence()));
        }
        return List.copyOf(all.values());
    }

    /** Closes all services and queue pairs. */
    public void end() {
        services.end();
        queuePairs.close();
    }
}
