package dev.jwarp.messaging;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of {@link MulticastDirectory} for one member of the group: bytes, state, and time that is handed in. See
 * "Wire format" in docs/messaging.md.
 *
 * <p>Threads: any. It calls its surroundings and completes futures without its monitor.
 */
final class GroupMember {
    /** Length of a message in bytes. */
    static final int LENGTH = 32;

    /** What a member needs of its surroundings. */
    interface Surroundings {
        /** {@return the time, as of {@link System#nanoTime}} */
        long nanoTime();

        /**
         * Sends a message to the group; it may be lost.
         *
         * @param message bytes from position to limit, the caller's again on return
         */
        void say(ByteBuffer message);

        /**
         * Runs a task later; not at all once the member is closed.
         *
         * @param nanos delay in nanoseconds
         * @param task task
         */
        void after(long nanos, Runnable task);
    }

    private static final int VERSION = 1;
    private static final int QUESTION = 1;
    private static final int HERE = 2;
    private static final int GONE = 3;
    /** A question of a member that is about to host the service: members that host it answer. */
    private static final int CLAIM = 4;

    private static final int MOST_KNOWN = 16_384;
    private static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Times between questions; after the last the service is not there. */
    private static final int[] ASK_MILLIS = {50, 150, 400, 1_000, 1_000};
    /** Times between questions for all services, and after the last. */
    private static final int[] LIST_MILLIS = {150, 150, 200};
    /** The answers to a question for all services are spread over this time, and answer each such question in it. */
    private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Times between claims, and after the last: the service is announced if no one has objected. */
    private static final int[] CLAIM_MILLIS = {50, 50, 50, 50, 50};

    /** What a HERE said. */
    private record Known(Place place, long instance, long at) {}

    private final Surroundings surroundings;
    private final long instance;
    private final String group;
    private final Map<Integer, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, CompletableFuture<Place>> asked = new HashMap<>();
    private final Map<Integer, Place> own = new HashMap<>();
    /** Those of {@link #own} that are not announced yet. */
    private final Map<Integer, CompletableFuture<Place>> claims = new HashMap<>();

    /** Listings that wait for answers, by number. */
    private final Map<Integer, CompletableFuture<SortedMap<Integer, Place>>> listings = new HashMap<>();

    private int lastListing;

    private boolean answering;
    private boolean closed;

    /**
     * Creates a member.
     *
     * @param instance random number that tells it from other members
     * @param group the group's name in messages of exceptions
     */
    GroupMember(Surroundings surroundings, long instance, String group) {
        this.surroundings = surroundings;
        this.instance = instance;
        this.group = group;
    }

    // ---- what a program asks

    /** {@return a future that completes when the service is announced; it fails with ADDRESS_IN_USE or CLOSED} */
    CompletableFuture<Place> claim(int service, Place place) {
        CompletableFuture<Place> claim = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closed());
            } else if (own.putIfAbsent(service, place) != null) {
                return CompletableFuture.failedFuture(taken(service, "this process"));
            }
            claims.put(service, claim);
            known.remove(service);
        }
        repeat(() -> say(CLAIM, service, place), claim, CLAIM_MILLIS, 0, () -> grant(service, place, claim));
        return claim;
    }

    private void grant(int service, Place place, CompletableFuture<Place> claim) {
        synchronized (this) {
            if (!claims.remove(service, claim)) {
                return;
            }
        }
        say(HERE, service, place);
        boolean withdrawn;
        synchronized (this) {
            withdrawn = !place.equals(own.get(service));
        }
        if (withdrawn) { // meanwhile, and its GONE may have overtaken
            say(GONE, service, place);
        }
        claim.complete(place);
    }

    private static RdmaException taken(int service, String where) {
        return new RdmaException(
                RdmaErrorCode.ADDRESS_IN_USE,
                "Service " + service + " is hosted by " + where + " already: close that endpoint, or use another id.");
    }

    private static RdmaException closed() {
        return new RdmaException(RdmaErrorCode.CLOSED, "The directory is closed.");
    }

    void withdraw(int service, Place place) {
        CompletableFuture<Place> claim;
        synchronized (this) {
            if (!own.remove(service, place) || closed) {
                return;
            }
            claim = claims.remove(service);
        }
        if (claim != null) {
            claim.completeExceptionally(
                    new RdmaException( // and it is not said again
                            RdmaErrorCode.CLOSED, "The announcement of service " + service + " was withdrawn."));
        }
        say(GONE, service, place);
    }

    /** {@return as {@link Directory#find}} */
    CompletableFuture<Place> find(int service) {
        CompletableFuture<Place> future;
        synchronized (this) {
            Place here = own.get(service);
            Known found = known(service);
            if (closed) {
                return CompletableFuture.failedFuture(closed());
            } else if (here != null) {
                return CompletableFuture.completedFuture(atHome(here));
            } else if (found != null) {
                return CompletableFuture.completedFuture(found.place);
            }
            future = asked.get(service);
            if (future != null) {
                return future.copy();
            }
            future = new CompletableFuture<>();
            asked.put(service, future);
        }
        CompletableFuture<Place> first = future;
        repeat(() -> say(QUESTION, service, null), first, ASK_MILLIS, 0, () -> giveUp(service, first));
        return first.copy();
    }

    private void giveUp(int service, CompletableFuture<Place> future) {
        synchronized (this) {
            asked.remove(service, future);
        }
        future.completeExceptionally(new RdmaException(
                RdmaErrorCode.TIMED_OUT,
                "No host of the group " + group + " has service " + service
                        + ": is it running, in this network, with the same keys?"));
    }

    /** {@return as {@link Directory#services}} */
    CompletableFuture<SortedMap<Integer, Place>> services() {
        CompletableFuture<SortedMap<Integer, Place>> future = new CompletableFuture<>();
        int number;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closed());
            }
            number = ++lastListing;
            listings.put(number, future);
        }
        long since = surroundings.nanoTime();
        repeat(() -> say(QUESTION, 0, null), future, LIST_MILLIS, 0, () -> listed(number, since));
        return future;
    }

    private void listed(int number, long since) {
        CompletableFuture<SortedMap<Integer, Place>> listing;
        synchronized (this) {
            listing = listings.remove(number);
        }
        if (listing != null) {
            listing.complete(heardSince(since));
        }
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

    /** Does something now, and again after each of those times, until the future is done or the times are over. */
    private void repeat(Runnable what, CompletableFuture<?> future, int[] millis, int time, Runnable over) {
        if (future.isDone()) {
            return;
        } else if (time == millis.length) {
            over.run();
            return;
        }
        surroundings.after(
                TimeUnit.MILLISECONDS.toNanos(millis[time]), () -> repeat(what, future, millis, time + 1, over));
        what.run();
    }

    /** {@return whether the member knows the service without a question} */
    boolean knows(int service) {
        return known(service) != null;
    }

    private synchronized @Nullable Known known(int service) {
        Known found = known.get(service);
        return found != null && surroundings.nanoTime() - found.at > FRESH_NANOS ? null : found;
    }

    /** As {@link Directory#doubt}. */
    synchronized void doubt(int service, Place place) {
        Known found = known.get(service);
        if (found != null && found.place.equals(place)) {
            known.remove(service);
        }
    }

    /** What waits fails with CLOSED. */
    void close() {
        List<CompletableFuture<?>> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(asked.values());
            left.addAll(claims.values());
            left.addAll(listings.values());
            asked.clear();
            claims.clear();
            listings.clear();
        }
        left.forEach(each -> each.completeExceptionally(closed()));
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
        surroundings.say(to.clear());
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

    /**
     * Takes a message of the group.
     *
     * @param in bytes from position to limit
     * @param source address that sent them; null if it is not known
     */
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
                if (service == 0) {
                    answerAll();
                } else {
                    answer(service);
                }
            }
            case HERE -> {
                Place place = place(in, source.getAddress());
                if (place != null) {
                    learn(service, new Known(place, from, surroundings.nanoTime()));
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
            case CLAIM -> {
                Place place = place(in, source.getAddress());
                if (place != null) {
                    contest(service, from, place);
                }
            }
            default -> {}
        }
    }

    /** The member that hosts the service objects; of two that claim it at once, the one with the lower instance. */
    private void contest(int service, long other, Place place) {
        CompletableFuture<Place> claim;
        Place mine;
        boolean lost;
        synchronized (this) {
            claim = claims.get(service);
            mine = own.get(service);
            lost = claim != null && Long.compareUnsigned(other, instance) < 0;
            if (lost) {
                claims.remove(service);
                own.remove(service);
            }
        }
        if (claim == null) {
            answer(service);
        } else if (lost) {
            claim.completeExceptionally(taken(service, place.address().toString()));
        } else {
            say(CLAIM, service, mine);
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

    private void answerAll() {
        List<Integer> services;
        synchronized (this) {
            if (answering || own.isEmpty()) {
                return;
            }
            answering = true;
            services = List.copyOf(own.keySet());
        }
        answerNext(services.iterator(), SPREAD_NANOS / services.size());
    }

    private void answerNext(Iterator<Integer> left, long gap) {
        if (left.hasNext()) {
            int service = left.next();
            surroundings.after(gap, () -> answerNext(left, gap));
            answer(service);
        } else {
            synchronized (this) {
                answering = false;
            }
        }
    }

    private void answer(int service) {
        Place here;
        synchronized (this) {
            here = claims.containsKey(service) ? null : own.get(service);
        }
        if (here != null) {
            say(HERE, service, here);
        }
    }

    private void learn(int service, Known said) {
        CompletableFuture<Place> waiting;
        CompletableFuture<Place> claim;
        synchronized (this) {
            known.put(service, said);
            if (known.size() > MOST_KNOWN) {
                Iterator<Integer> oldest = known.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            waiting = asked.remove(service);
            claim = claims.remove(service);
            if (claim != null) {
                own.remove(service);
            }
        }
        if (waiting != null) {
            waiting.complete(said.place);
        }
        if (claim != null) {
            claim.completeExceptionally(taken(service, said.place.address().toString()));
        }
    }
}
