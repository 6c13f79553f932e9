package dev.jwarp.tools.rping;

import dev.jwarp.tools.EndedEarly;
import dev.jwarp.tools.Failures;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server of many clients at a time, each with a thread of its own. What one client does wrong ends its connection and
 * no other. Takes requests on one thread.
 */
final class PersistentServer {
    /** So that a flood of clients cannot use up the memory. */
    private static final int MOST_CLIENTS = 1_000;

    private static final long FAREWELL_MILLIS = 2_500;

    private final PingSettings settings;
    private final PingVoice voice;
    private final int mostClients;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong rounds = new AtomicLong();

    /**
     * What happened in all.
     *
     * @param served clients that came and went in order
     * @param failed clients that did not
     * @param refused clients that were turned away because there were too many
     * @param rounds of all clients
     */
    record Totals(long served, long failed, long refused, long rounds) {
        @Override
        public String toString() {
            return rounds + " rounds; clients: " + served + " served, " + failed + " failed, " + refused + " refused";
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

    /** Takes a client over. */
    void serve(CmId request) {
        if (threads.size() >= mostClients) {
            refused.incrementAndGet();
            try {
                request.reject("too many clients".getBytes(StandardCharsets.US_ASCII));
            } catch (RdmaException e) {
                voice.trace("a client too many has left by itself");
            } finally {
                request.close();
            }
            return;
        }
        Thread thread = new Thread(() -> serveToTheEnd(request), "jwarp-rping-client");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void serveToTheEnd(CmId request) {
        try (PingServer ping = new PingServer(request, settings, voice)) {
            try {
                ping.run();
                served.incrementAndGet();
            } finally {
                rounds.addAndGet(ping.statistics().rounds());
                if (ping.statistics().rounds() > 0) {
                    voice.data(String.join(
                            System.lineSeparator(), ping.statistics().lines(ping.peerHost())));
                }
            }
        } catch (EndedEarly e) {
            voice.trace("ended early");
        } catch (RuntimeException e) {
            failed.incrementAndGet();
            ToolFailure reason = Failures.explain(e, voice.console().debug());
            voice.console().note("a client failed: " + reason.sentence());
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    Totals totals() {
        return new Totals(served.get(), failed.get(), refused.get(), rounds.get());
    }

    /** Waits a little for the clients that are there: the user wants to end. */
    void awaitLastWords() {
        long end = System.nanoTime() + FAREWELL_MILLIS * 1_000_000;
        for (Thread thread : threads) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left > 0) {
                try {
                    thread.join(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
