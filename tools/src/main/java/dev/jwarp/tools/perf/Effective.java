package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.Queues;
import java.util.LinkedHashMap;
import java.util.Map;

/** The flags in force, for JSON: those of the user, and defaults for the others. */
final class Effective {
    private Effective() {}

    /** {@return the values in force, by names such as {@code perf.size}} */
    static Map<String, Json.EffectiveSetting> of(PerfSettings settings) {
        Map<String, Json.EffectiveSetting> all = new LinkedHashMap<>();
        Load load = settings.load();
        Queues queues = settings.queues();
        agreed(all, settings, "connection", "-c", load.type());
        agreed(all, settings, "size", "-s", load.size());
        agreed(all, settings, "all", "-a", load.allSizes());
        agreed(all, settings, "iterations", "-n", load.iterations());
        agreed(all, settings, "duration_s", "-D", load.duration().toNanos() / 1e9);
        agreed(all, settings, "run_infinitely", "--run_infinitely", load.infinite());
        agreed(all, settings, "warmup_s", "--warmup", load.warmUp().toNanos() / 1e9);
        agreed(all, settings, "queue_pairs", "-q", load.queuePairs());
        agreed(all, settings, "bidirectional", "-b", load.bidirectional());
        agreed(all, settings, "outstanding_reads", "-o", load.outstandingReads());
        agreed(all, settings, "mtu", "-m", load.mtu());
        agreed(all, settings, "rate_limit", "--rate_limit", load.rate());
        agreed(all, settings, "rate_units", "--rate_units", load.rateUnit());
        agreed(all, settings, "atomic", "-A", load.atomic());
        put(all, settings, "tx_depth", "-t", queues.txDepth());
        put(all, settings, "rx_depth", "-r", queues.rxDepth());
        put(all, settings, "post_list", "-l", queues.listOf(load.largest()));
        put(all, settings, "cq_moderation", "-Q", queues.moderation(load.allSizes() ? 1 : load.size()));
        put(all, settings, "inline_size", "-I", queues.inline());
        put(all, settings, "events", "-e", queues.events());
        put(all, settings, "port", "-p", settings.place().port());
        put(all, settings, "interval_s", "-i", settings.report().interval().toNanos() / 1e9);
        return all;
    }

    /** Adds a value on which both ends agree: a server without the flag takes the client's value. */
    private static void agreed(
            Map<String, Json.EffectiveSetting> all, PerfSettings settings, String name, String flag, Object value) {
        put(all, settings, name, flag, value);
        if (settings.given().contains(PerfSettings.PEER) && !settings.given().contains(flag)) {
            all.put("perf." + name, new Json.EffectiveSetting(String.valueOf(value), "peer"));
        }
    }

    private static void put(
            Map<String, Json.EffectiveSetting> all, PerfSettings settings, String name, String flag, Object value) {
        boolean given = settings.given().contains(flag);
        all.put("perf." + name, new Json.EffectiveSetting(String.valueOf(value), given ? "flag" : "default"));
    }
}
