package dev.jwarp.tools.perf;

import java.util.Map;

/** The peer and the outcome of a test, beside the rows. */
final class PerfOutcome {
    private final String peer;
    private final String version;
    private boolean cutShort;
    private Map<String, Long> counters = Map.of();

    /**
     * @param peer the address of the peer
     * @param version of the peer's jwarp or perftest
     */
    PerfOutcome(String peer, String version) {
        this.peer = peer;
        this.version = version;
    }

    void ended(PerfConversation talk) {
        cutShort = talk.cutShort();
        counters = talk.counters();
    }

    /** {@return whether the other end ended the test early} */
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
