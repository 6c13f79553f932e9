package dev.jwarp.tools.ping;

import static dev.jwarp.verbs.RdmaErrorCode.LIMIT_REACHED;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.link.Rollback;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.PingClient.PingVoice;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server of many clients at a time, each with a thread of its own. What one client does wrong ends its connection and
 * no other; and where all places are taken, a client that has been silent for a while makes room: of the host that has most
 * of these, the one that has been silent for longest. If there is none, the newcomer is turned away. One host has three quarters
 * of the places at most; beyond that its own clients make room. Takes requests on one thread.
 */
final class PersistentServer {
    /** So that a flood of clients cannot use up the memory. */
    private static final int MOST_CLIENTS = 1_000;

    /** Clients that were told to go and have not yet gone, in addition to those that are served. */
    private static final int MOST_LEAVING = 100;

    private static final long FAREWELL_MILLIS = 2_500;

    private final PingSettings settings;
    private final PingVoice voice;
    private final int mostClients;
    private final Set<Place> places = ConcurrentHashMap.newKeySet();
    private final Set<Place> leaving = ConcurrentHashMap.newKeySet();
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong displaced = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong rounds = new AtomicLong();

    /**
     * What happened in all.
     *
     * @param served clients that came and went in order
     * @param failed clients that did not
     * @param displaced clients that were silent when others needed their place
     * @param refused clients that were turned away because there were too many
     * @param rounds of all clients
     */
    record Totals(long served, long failed, long displaced, long refused, long rounds) {
        @Override
        public String toString() {
            return rounds + " rounds; clients: " + served + " served, " + failed + " failed, " + displaced
                    + " displaced, " + refused + " refused";
        }
    }

    PersistentServer(PingSettings settings, PingVoice voice) {
        this(settings, voice, MOST_CLIENTS);
    }

    /** @param mostClients at a time */
    PersistentServer(PingSettings settings, PingVoice voice, int mostClients) {
        this.settings = settings;
        this.voice = voice;
        this.mostClients = mostClients;
    }

    /** What a client holds. */
    private final class Place implements Runnable {
        private final CmId request;
        private final Thread thread = new Thread(this, "jwarp-rping-client");
        private final long since = voice.console().nanoTime().getAsLong();
        private volatile @Nullable RpingServer ping;
        /** Guarded by this. */
        private boolean gone;

        Place(CmId request) {
            this.request = request;
            thread.setDaemon(true);
        }

        String host() {
            InetSocketAddress remote = request.remoteAddress();
            return remote == null ? "" : Addresses.host(remote);
        }

        long heardAt() {
            RpingServer talking = ping;
            return talking == null ? since : talking.heardAt();
        }

        void leave() {
            synchronized (this) {
                if (gone) {
                    return;
                }
                leaving.add(this);
                places.remove(this);
            }
            RpingServer talking = ping;
            if (talking != null) {
                talking.breakOff();
            }
        }

        @Override
        public void run() {
            try {
                serveToTheEnd(this);
            } finally {
                synchronized (this) {
                    gone = true;
                    places.remove(this);
                    leaving.remove(this);
                }
            }
        }
    }

    /** Takes a client over. Whatever goes wrong with it ends this one only. */
    void serve(CmId request) {
        try {
            Place place = new Place(request);
            if (!admits(place.host())) {
                turnAway(request);
                return;
            }
            places.add(place);
            try (Rollback taken = new Rollback()) {
                taken.add(() -> places.remove(place));
                place.thread.start();
                taken.keep();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            request.close();
            fail(e);
        }
    }

    private void turnAway(CmId request) {
        refused.incrementAndGet();
        try {
            request.reject("too many clients".getBytes(StandardCharsets.US_ASCII));
        } catch (RdmaException e) {
            voice.trace("a client too many has left by itself");
        } finally {
            request.close();
        }
    }

    private boolean admits(String host) {
        int mostOfHost = mostClients - mostClients / 4;
        if (places.size() < mostOfHost) {
            return true;
        }
        Predicate<Place> ofHost = place -> place.host().equals(host);
        if (places.stream().filter(ofHost).count() >= mostOfHost) {
            return makeRoom(ofHost);
        }
        return places.size() < mostClients || makeRoom(place -> true);
    }

    /** Has one of these clients go that is silent, so that there is room for another. @return whether there is */
    private synchronized boolean makeRoom(Predicate<Place> among) {
        if (leaving.size() >= MOST_LEAVING) {
            return false;
        }
        long now = voice.console().nanoTime().getAsLong();
        Map<String, List<Place>> hosts = places.stream()
                .filter(among)
                .filter(place -> now - place.heardAt() >= RpingServer.SILENCE_NANOS)
                .collect(Collectors.groupingBy(Place::host));
        Place idlest = hosts.values().stream()
                .max(Comparator.comparingInt(List::size))
                .flatMap(most -> most.stream().min(Comparator.comparingLong(Place::heardAt)))
                .orElse(null);
        if (idlest == null) {
            return false;
        }
        idlest.leave();
        return true;
    }

    private void serveToTheEnd(Place place) {
        try (RpingServer ping = RpingServer.of(place.request, settings, voice)) {
            place.ping = ping;
            if (leaving.contains(place)) {
                return;
            }
            try {
                ping.accept();
                ping.run();
                served.incrementAndGet();
            } finally {
                rounds.addAndGet(ping.rounds().rounds());
                if (ping.rounds().rounds() > 0) {
                    voice.data(String.join(System.lineSeparator(), ping.rounds().lines(ping.peerHost())));
                }
            }
        } catch (EndedEarly e) {
            voice.trace("ended early");
        } catch (RuntimeException | OutOfMemoryError e) {
            if (leaving.contains(place)) {
                displaced.incrementAndGet();
                voice.console().note("a silent client was ended for another one: " + place.host());
            } else {
                fail(e);
            }
        }
    }

    private void fail(Throwable e) {
        failed.incrementAndGet();
        if (e instanceof OutOfMemoryError || (e instanceof RdmaException rdma && rdma.code() == LIMIT_REACHED)) {
            makeRoom(place -> true); // the next one shall find some
        }
        String reason = e instanceof RuntimeException known
                ? Failures.explain(known, voice.console().debug()).sentence()
                : e.toString();
        voice.console().note("a client failed: " + reason);
    }

    Totals totals() {
        return new Totals(served.get(), failed.get(), displaced.get(), refused.get(), rounds.get());
    }

    /** Waits a little for the clients that are there: the user wants to end. */
    void awaitLastWords() {
        long end = System.nanoTime() + FAREWELL_MILLIS * 1_000_000;
        for (Place place : places) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left > 0) {
                try {
                    place.thread.join(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
