package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A directory without a server, for one network: questions and answers go to a multicast group, and each member of the
 * group learns from all answers. Any number of directories, of one process or several, share a host.
 *
 * <p>Who answers a question can name any address: use it where all hosts are trusted, or with keys
 * ({@code jwarp.udp.keys}). See "Wire format" in docs/messaging.md.
 *
 * <p>Threads: any. The context must make progress while this directory waits for answers.
 */
public final class MulticastDirectory implements Directory {
    /** Group and port, if none is chosen: of the block for use within a site (RFC 2365 §6.2). */
    public static final InetSocketAddress GROUP = new InetSocketAddress("239.192.106.119", 7_176);

    /** Q_Key of the group: "jwMD". */
    private static final int KEY = 0x6a77_4d44;

    private static final int VERSION = 1;
    private static final int LENGTH = 32;
    private static final int QUESTION = 1;
    private static final int HERE = 2;
    private static final int GONE = 3;
    private static final int RECEIVES = 256;
    private static final int MOST_KNOWN = 4_096;
    private static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Times of questions after the first, in milliseconds; then the service is not there. */
    private static final int[] ASK_MILLIS = {50, 150, 400, 1_000};

    private static final int GIVE_UP_MILLIS = 1_000;
    /** Times of questions for all services, and of the end. */
    private static final int[] LIST_MILLIS = {0, 150};

    private static final int LISTED_MILLIS = 500;
    /** A service is announced when this long no one has answered for it. */
    private static final Duration CLAIM = Duration.ofMillis(250);

    /** What a HERE said. */
    private record Known(Place place, long instance, long at) {}

    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion memory;
    private final DatagramQueuePair queuePair;
    private final AddressHandle group;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();
    private final long instance = new SecureRandom().nextLong();
    private final Map<Integer, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, List<CompletableFuture<Place>>> asked = new HashMap<>();
    private final Map<Integer, Place> own = new HashMap<>();
    /** Those of {@link #own} that are not announced yet. */
    private final Set<Integer> claimed = new HashSet<>();

    private final ScheduledExecutorService timer;
    private boolean closed;

    /**
     * Joins {@link #GROUP} on the first interface that has multicast; on loopback if there is none.
     *
     * @param context context with datagrams
     * @throws RdmaException as {@link #MulticastDirectory(Context, InetSocketAddress, NetworkInterface)}
     */
    public MulticastDirectory(Context context) {
        this(context, GROUP, null);
    }

    /**
     * Joins a group.
     *
     * @param context context with datagrams; the program closes it after this directory
     * @param address group and port
     * @param on network interface; null for the first one that is up and has multicast, or loopback
     * @throws RdmaException NOT_SUPPORTED without a transport for datagrams; ADDRESS_NOT_AVAILABLE, INVALID_ARGUMENT
     */
    public MulticastDirectory(Context context, InetSocketAddress address, @Nullable NetworkInterface on) {
        this.context = RdmaException.requireArgument(context, "context");
        RdmaException.requireArgument(address, "address");
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(4 * RECEIVES);
        completions.onCompletion(this::completed);
        memory = domain.allocate(RECEIVES * LENGTH, AccessFlag.LOCAL_WRITE);
        DatagramQueuePair pair = domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxReceiveWorkRequests(RECEIVES)
                        .maxSendWorkRequests(RECEIVES)
                        .maxInlineData(LENGTH)
                        .build(),
                DatagramAttributes.builder(new InetSocketAddress(0)).build());
        queuePair = pair;
        try {
            for (int i = 0; i < RECEIVES; i++) {
                postReceive(i);
            }
            NetworkInterface at = on == null ? usualInterface() : on;
            group = pair.joinGroup(address, at, KEY);
            pair.sendToGroups(at, 1, true);
        } catch (Throwable e) {
            pair.close();
            completions.close();
            memory.close();
            domain.close();
            throw e;
        }
        timer = Executors.newSingleThreadScheduledExecutor(Daemons.named("jwarp-directory"));
    }

    private static @Nullable NetworkInterface usualInterface() {
        NetworkInterface found = null;
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                boolean local = each.isLoopback();
                if (each.isUp()
                        && (local
                                ? found == null
                                : each.supportsMulticast() && (found == null || found.isLoopback()))) {
                    found = each;
                }
            }
        } catch (SocketException e) { // then the operating system chooses
            return null;
        }
        return found;
    }

    private void postReceive(int slot) {
        try {
            queuePair.postReceive(receive.clearElements().id(slot).add(memory, (long) slot * LENGTH, LENGTH));
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.CLOSED) { // by another thread, meanwhile
                throw e;
            }
        }
    }

    // ---- what a program asks

    /** {@return any free port of all local addresses} */
    @Override
    public InetSocketAddress bindAddress(int service) {
        return new InetSocketAddress(0);
    }

    /**
     * {@inheritDoc} Waits a quarter of a second for the objection of another host: who comes second gets the exception.
     */
    @Override
    public void announce(int service, Place place) {
        synchronized (this) {
            if (own.putIfAbsent(service, place) != null) {
                throw taken(service, "this process");
            }
            claimed.add(service);
            known.remove(service);
        }
        boolean mine = false;
        try (ProgressCondition objection = context.newCondition(() -> known(service) != null)) {
            say(QUESTION, service, null);
            long end = System.nanoTime() + CLAIM.toNanos();
            while (known(service) == null && System.nanoTime() - end < 0) {
                objection.await(Duration.ofNanos(Math.min(CLAIM.toNanos() / 5, end - System.nanoTime())));
                say(QUESTION, service, null);
            }
            Known other = known(service);
            if (other != null) {
                throw taken(service, other.place.address().toString());
            }
            mine = true;
        } finally {
            synchronized (this) {
                claimed.remove(service);
                if (!mine) {
                    own.remove(service, place);
                }
            }
        }
        say(HERE, service, place);
    }

    private static RdmaException taken(int service, String where) {
        return new RdmaException(
                RdmaErrorCode.ADDRESS_IN_USE,
                "Service " + service + " is hosted by " + where + " already: close that endpoint, or use another id.");
    }

    @Override
    public void withdraw(int service, Place place) {
        synchronized (this) {
            if (!own.remove(service, place) || closed) {
                return;
            }
        }
        say(GONE, service, place);
    }

    @Override
    public CompletionStage<Place> find(int service) {
        CompletableFuture<Place> future = new CompletableFuture<>();
        synchronized (this) {
            Place here = own.get(service);
            Known found = known(service);
            if (closed) {
                return CompletableFuture.failedFuture(
                        new RdmaException(RdmaErrorCode.CLOSED, "The directory is closed."));
            } else if (here != null) {
                return CompletableFuture.completedFuture(atHome(here));
            } else if (found != null) {
                return CompletableFuture.completedFuture(found.place);
            }
            List<CompletableFuture<Place>> waiting = asked.computeIfAbsent(service, id -> new ArrayList<>());
            waiting.add(future);
            if (waiting.size() == 1) {
                ask(service, 0);
            }
        }
        say(QUESTION, service, null);
        return future;
    }

    /** {@inheritDoc} Those that answer within half a second. */
    @Override
    public CompletionStage<SortedMap<Integer, Place>> services() {
        CompletableFuture<SortedMap<Integer, Place>> future = new CompletableFuture<>();
        long since = System.nanoTime();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new RdmaException(RdmaErrorCode.CLOSED, "The directory is closed."));
            }
            for (int millis : LIST_MILLIS) {
                Future<?> unused = timer.schedule(() -> say(QUESTION, 0, null), millis, TimeUnit.MILLISECONDS);
            }
            Future<?> unused =
                    timer.schedule(() -> future.complete(heardSince(since)), LISTED_MILLIS, TimeUnit.MILLISECONDS);
        }
        return future;
    }

    private synchronized SortedMap<Integer, Place> heardSince(long time) {
        SortedMap<Integer, Place> all = new TreeMap<>();
        known.forEach((service, found) -> {
            if (found.at - time >= 0) {
                all.put(service, found.place);
            }
        });
        own.forEach((service, place) -> all.put(service, atHome(place)));
        return all;
    }

    /** A place at all local addresses is reached through loopback. */
    private static Place atHome(Place place) {
        InetSocketAddress at = place.address();
        return at.getAddress().isAnyLocalAddress()
                ? new Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), at.getPort()), place.carriers())
                : place;
    }

    /** Asks again later, and gives up at last; under the monitor. */
    private void ask(int service, int time) {
        int millis = time < ASK_MILLIS.length ? ASK_MILLIS[time] : GIVE_UP_MILLIS;
        Future<?> unused = timer.schedule(() -> askAgain(service, time), millis, TimeUnit.MILLISECONDS);
    }

    private void askAgain(int service, int time) {
        List<CompletableFuture<Place>> failed = List.of();
        synchronized (this) {
            if (closed || !asked.containsKey(service)) {
                return;
            }
            if (time < ASK_MILLIS.length) {
                ask(service, time + 1);
            } else {
                failed = asked.remove(service);
            }
        }
        if (time < ASK_MILLIS.length) {
            say(QUESTION, service, null);
        }
        for (CompletableFuture<Place> each : failed) {
            each.completeExceptionally(new RdmaException(
                    RdmaErrorCode.TIMED_OUT,
                    "No host of the group " + group.address() + " has service " + service
                            + ": is it running, in this network, with the same keys?"));
        }
    }

    /** {@return whether the directory knows the service without a question} */
    boolean knows(int service) {
        return known(service) != null;
    }

    private synchronized @Nullable Known known(int service) {
        Known found = known.get(service);
        return found != null && System.nanoTime() - found.at > FRESH_NANOS ? null : found;
    }

    @Override
    public synchronized void doubt(int service, Place place) {
        Known found = known.get(service);
        if (found != null && found.place.equals(place)) {
            known.remove(service);
        }
    }

    // ---- the group

    private void say(int what, int service, @Nullable Place place) {
        ByteBuffer to = ByteBuffer.allocate(LENGTH)
                .put((byte) VERSION)
                .put((byte) what)
                .putShort((short) service)
                .putLong(instance);
        if (place != null) {
            byte[] address = place.address().getAddress().isAnyLocalAddress()
                    ? new byte[0]
                    : place.address().getAddress().getAddress();
            to.putShort((short) place.address().getPort());
            to.put((byte) bits(place.carriers())).put((byte) address.length).put(address);
        }
        synchronized (send) {
            try {
                queuePair.tryPostSend(send.clear().destination(group).inlineData(to.clear()));
            } catch (RdmaException e) {
                if (e.code() != RdmaErrorCode.CLOSED && e.code() != RdmaErrorCode.WRONG_STATE) {
                    throw e;
                }
            }
        }
        if (context.progress() == Progress.INLINE) {
            context.flush();
        }
    }

    private static int bits(Set<QueuePairType> carriers) {
        int bits = 0;
        for (QueuePairType each : carriers) {
            bits |= bit(each);
        }
        return bits;
    }

    private static int bit(QueuePairType type) {
        return switch (type) {
            case UD -> 1; // as in RESOLVE
            case RD -> 2;
            case RC -> 4;
        };
    }

    private void completed(CompletionQueue from, WorkCompletion[] all, int count) {
        for (int i = 0; i < count; i++) {
            if (all[i].opcode().isReceive()) {
                int slot = (int) all[i].id();
                if (all[i].succeeded()) {
                    heard(memory.buffer().slice(slot * LENGTH, all[i].byteLength()), all[i].source());
                    postReceive(slot);
                }
            }
        }
    }

    void heard(ByteBuffer in, @Nullable InetSocketAddress source) {
        if (in.remaining() != LENGTH || in.get() != VERSION || source == null) {
            return;
        }
        int what = in.get();
        int service = Short.toUnsignedInt(in.getShort());
        long from = in.getLong();
        if (from == instance) {
            return;
        }
        switch (what) {
            case QUESTION -> {
                List<Integer> asked = service == 0 ? ownServices() : List.of(service);
                asked.forEach(each -> answer(each, from));
            }
            case HERE -> {
                Place place = place(in, source.getAddress());
                if (place != null) {
                    learn(service, new Known(place, from, System.nanoTime()));
                }
            }
            case GONE -> {
                synchronized (this) {
                    Known before = known.get(service);
                    if (before != null && before.instance == from) {
                        known.remove(service);
                    }
                }
            }
            default -> {}
        }
    }

    private static @Nullable Place place(ByteBuffer in, InetAddress source) {
        int port = Short.toUnsignedInt(in.getShort());
        int bits = in.get();
        Set<QueuePairType> carriers = EnumSet.noneOf(QueuePairType.class);
        for (QueuePairType each : QueuePairType.values()) {
            if ((bits & bit(each)) != 0) {
                carriers.add(each);
            }
        }
        byte[] address = new byte[Byte.toUnsignedInt(in.get())];
        if (address.length > in.remaining() || carriers.isEmpty() || port == 0) {
            return null;
        }
        try {
            in.get(address);
            InetAddress at = address.length == 0 ? source : InetAddress.getByAddress(address);
            return new Place(new InetSocketAddress(at, port), carriers);
        } catch (UnknownHostException e) { // of another length than addresses have
            return null;
        }
    }

    private synchronized List<Integer> ownServices() {
        return List.copyOf(own.keySet());
    }

    private void answer(int service, long to) {
        Place here;
        synchronized (this) {
            // Of two that claim a service at once, the lower instance objects.
            boolean mayObject = !claimed.contains(service) || Long.compareUnsigned(instance, to) < 0;
            here = mayObject ? own.get(service) : null;
        }
        if (here != null) {
            say(HERE, service, here);
        }
    }

    private void learn(int service, Known said) {
        List<CompletableFuture<Place>> waiting;
        synchronized (this) {
            known.put(service, said);
            if (known.size() > MOST_KNOWN) {
                Iterator<Integer> oldest = known.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            waiting = asked.remove(service);
        }
        if (waiting != null) {
            waiting.forEach(each -> each.complete(said.place));
        }
    }

    /** {@inheritDoc} Questions that wait fail with CLOSED. */
    @Override
    public void close() {
        List<CompletableFuture<Place>> left = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            asked.values().forEach(left::addAll);
            asked.clear();
        }
        left.forEach(each ->
                each.completeExceptionally(new RdmaException(RdmaErrorCode.CLOSED, "The directory is closed.")));
        timer.shutdown();
        queuePair.close();
        completions.close();
        memory.close();
        domain.close();
    }
}
