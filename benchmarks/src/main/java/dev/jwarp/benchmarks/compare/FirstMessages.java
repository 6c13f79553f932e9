package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * jwarp: one Send to each of many peers, and its answer, which shows that a datagram has arrived. With cold peers the
 * time includes the set-up of a connection, or the creation of an address handle, at both ends. With warm peers both
 * exist already. At most {@link #UNDER_WAY} Sends have no answer yet. The time excludes the end of connections.
 */
final class FirstMessages implements Contender {
    /** The near end's Q_Key, which the far end knows. */
    static final int KEY = 4791;

    /** Number of peers with an unanswered Send. */
    static final int UNDER_WAY = 100;

    /** Least number of cold datagram peers: runs with few peers take other ones each time. */
    private static final int LEAST = 1_000;

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final int CONNECTION_DEPTH = 4;

    private final VerbsManyFar near;
    private final FarProcess far;
    private final boolean cold;
    private final @Nullable CmEventChannel events;
    private final CmId[] ids;
    private final AddressHandle[] handles;
    /** The addresses of the peers: a listener for connections, or a queue pair for each. */
    private final List<Place> places = new ArrayList<>();

    private @Nullable DatagramQueuePair pair;
    /** The first peer of this run. */
    private int first;

    private int begun;
    private int answered;
    private int sent;

    /** The address of a queue pair; for a listener only its port. */
    record Place(InetSocketAddress address, int number, int key) {
        static Place parse(String words) {
            String[] part = words.split(" ", -1);
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(part[0]));
            return new Place(address, Integer.parseInt(part[1]), Integer.parseInt(part[2]));
        }

        static String words(int port, int number, int key) {
            return port + " " + number + " " + key;
        }
    }

    /** @param arguments {@code connections=N size=N service=rc|ud cold=yes|no}, settings of jwarp */
    FirstMessages(Arguments arguments) throws IOException {
        cold = arguments.is("cold", "yes");
        near = new VerbsManyFar(arguments);
        near.completions.onCompletion(this::completed);
        events = near.datagrams ? null : near.context.createEventChannel();
        if (events != null) {
            events.onEvent(this::happened);
        }
        ids = new CmId[near.count];
        handles = new AddressHandle[near.count];
        Map<String, String> words = new HashMap<>(arguments.values());
        if (cold && near.datagrams) {
            words.put("connections", String.valueOf(Math.max(LEAST, near.count)));
        }
        far = new FarProcess(FirstMessagesFar.class, new Arguments(words));
        for (String line = far.next(); !line.equals("ready"); line = far.next()) {
            places.add(Place.parse(line));
        }
        if (near.datagrams) {
            open();
        }
        if (!cold) {
            toAll();
        }
    }

    /** Makes a queue pair that is new to all peers. */
    private void open() {
        int depth = 2 * UNDER_WAY;
        DatagramQueuePair made = near.domain.createDatagramQueuePair(
                QueuePairType.UD,
                near.attributes(depth),
                DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .key(KEY)
                        .pathMtu(1500)
                        .build());
        for (int i = 0; i < depth; i++) {
            near.postReceive(made, 0);
        }
        pair = made;
        first = 0;
    }

    @Override
    public Sample round(long nanos) throws IOException {
        long done = 0;
        long elapsed = 0;
        do {
            if (cold) {
                forget();
            }
            long start = System.nanoTime();
            toAll();
            elapsed += System.nanoTime() - start;
            done += near.count;
        } while (elapsed < nanos);
        if (cold) {
            forget();
        }
        return Sample.ofStream(done, done * near.size, elapsed);
    }

    private void toAll() {
        begun = 0;
        answered = 0;
        sent = 0;
        long until = System.nanoTime() + PATIENCE;
        while (begun < near.count && begun < UNDER_WAY) {
            begin();
        }
        while (answered < near.count || sent < near.count) {
            near.context.await(SHORT);
            if (System.nanoTime() > until) {
                throw new IllegalStateException("only " + answered + " of " + near.count + " peers answered");
            }
        }
    }

    private void begin() {
        int which = begun++;
        if (pair != null) {
            if (handles[which] == null) {
                Place place = places.get(first + which);
                handles[which] = pair.createAddressHandle(place.address, place.number, place.key);
            }
            near.postSend(pair, handles[which]);
        } else if (ids[which] == null) {
            ids[which] = near.context.createId(Objects.requireNonNull(events));
            ids[which].attach(which);
            ids[which].resolveAddress(null, places.get(0).address);
        } else {
            near.postSend(queuePair(ids[which]));
        }
    }

    private void happened(CmEvent event) {
        CmId id = event.id();
        if (event.type() == CmEventType.ADDR_RESOLVED) {
            QueuePair made = id.createQueuePair(near.domain, near.attributes(CONNECTION_DEPTH));
            near.postReceive(made, 0);
            id.connect(ConnectionParameters.DEFAULT.withTimeout(VerbsManyFar.PATIENCE));
        } else if (event.type() == CmEventType.ESTABLISHED) {
            near.postSend(queuePair(id));
        } else {
            throw new IllegalStateException(event.toString());
        }
    }

    private static QueuePair queuePair(CmId id) {
        return Objects.requireNonNull(id.queuePair());
    }

    private void completed(CompletionQueue from, WorkCompletion[] batch, int count) {
        for (int i = 0; i < count; i++) {
            if (batch[i].status() == WorkCompletionStatus.WR_FLUSH_ERR) {
                continue; // the completion of a closed queue pair
            }
            if (!batch[i].succeeded()) {
                throw new IllegalStateException(batch[i].describe());
            }
            if (batch[i].opcode() == WorkCompletionOpcode.RECV) {
                if (pair != null) {
                    near.postReceive(pair, 0);
                } else if (!cold) {
                    near.postReceive(Objects.requireNonNull(batch[i].queuePair()), 0);
                }
                answered++;
                if (begun < near.count) {
                    begin();
                }
            } else {
                sent++;
            }
        }
    }

    /** Makes both ends forget the peers of the next run. */
    private void forget() throws IOException {
        boolean connected = ids[0] != null;
        for (int i = 0; i < near.count; i++) {
            if (ids[i] != null) {
                ids[i].close();
                ids[i] = null;
            }
            if (handles[i] != null) {
                handles[i].close();
                handles[i] = null;
            }
        }
        if (connected) {
            near.context.poll();
            far.next(); // the far end has closed as many connections
        }
        if (pair != null) {
            first += near.count;
            if (first + near.count > places.size()) {
                pair.close();
                open();
            }
        }
    }

    @Override
    public void close() {
        far.close();
    }
}
