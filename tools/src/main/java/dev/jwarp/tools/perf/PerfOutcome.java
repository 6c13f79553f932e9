package dev.jwarp.tools.perf;

import java.util.Map;

/** What is known of the other end, and of how it went with it, beside the rows. */
final class PerfOutcome {
    private final String peer;
    private final String version;
    private boolean cutShort;
    private Map<String, Long> counters = Map.of();

    /**
     * @param peer its address
     * @param version of its jwarp, or of its perftest
     */
    PerfOutcome(String peer, String version) {
        this.peer = peer;
        this.version = version;
    }

    void ended(PerfConversation talk) {
        cutShort = talk.cutShort();
        counters = talk.counters();
    }

    /** {@return whether the other end wanted it to end before it was to} */
    boolean cutShort() {
        return cutShort;
    }

    Map<String, Long> counters() {
        return counters;
    }

    PerfDocument.Peer peer() {
        return new PerfDocument.Peer(peer, version);
    }
}
