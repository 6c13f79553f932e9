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
 * A server of many clients at a time, each with its own thread. A failure of a client ends only its connection. If all
 * places are in use, a new client gets the place of a silent one: of the host with most silent clients, the client that
 * has been silent for longest. If no client is silent, the new one is rejected. A host has at most three quarters of
 * the places; beyond that a new client can only get the place of a client of the same host. One thread takes requests.
 */
final class PersistentServer {
    /** Most clients at a time, so that a flood of clients cannot use up the memory. */
    private static final int MOST_CLIENTS = 1_000;

    /** Most clients that were asked to leave and have not left yet, in addition to served clients. */
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
     * Totals of a run.
     *
     * @param served clients that ended in order
     * @param failed clients that failed
     * @param displaced silent clients whose place another client needed
     * @param refused clients that were rejected because there were too many
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

    /** @param mostClients most clients at a time */
    PersistentServer(PingSettings settings, PingVoice voice, int mostClients) {
        this.settings = settings;
        this.voice = voice;
        this.mostClients = mostClients;
    }

    /** The place of a client. */
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

    /** Serves a client in its own thread. A failure ends only this client. */
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
            voice.trace("a surplus client has closed its connection");
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

    /**
     * Asks a silent one of these clients to leave.
     *
     * @return whether there is now a place for another client
     */
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
                voice.console().note("a silent client was displaced by another one: " + place.host());
            } else {
                fail(e);
            }
        }
    }

    private void fail(Throwable e) {
        failed.incrementAndGet();
        if (e instanceof OutOfMemoryError || (e instanceof RdmaException rdma && rdma.code() == LIMIT_REACHED)) {
            makeRoom(place -> true); // memory for the next client
        }
        String reason = e instanceof RuntimeException known
                ? Failures.explain(known, voice.console().debug()).sentence()
                : e.toString();
        voice.console().note("a client failed: " + reason);
    }

    Totals totals() {
        return new Totals(served.get(), failed.get(), displaced.get(), refused.get(), rounds.get());
    }

    /** Waits a short time for the threads of clients, before the command ends. */
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
