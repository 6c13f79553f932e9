package dev.jwarp.tools.perf;

import dev.jwarp.tools.Json;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.Queues;
import java.util.LinkedHashMap;
import java.util.Map;

/** The flags in force, for JSON: those the user gave, and what stands for the others. */
final class Effective {
    private Effective() {}

    /** {@return what is in force, by names such as {@code perf.size}} */
    static Map<String, Json.EffectiveSetting> of(PerfSettings settings) {
        Map<String, Json.EffectiveSetting> all = new LinkedHashMap<>();
        Load load = settings.load();
        Queues queues = settings.queues();
        put(all, settings, "connection", "-c", load.type());
        put(all, settings, "size", "-s", load.size());
        put(all, settings, "all", "-a", load.allSizes());
        put(all, settings, "iterations", "-n", load.iterations());
        put(all, settings, "duration_s", "-D", load.duration().toNanos() / 1e9);
        put(all, settings, "run_infinitely", "--run_infinitely", load.infinite());
        put(all, settings, "warmup_s", "--warmup", load.warmUp().toNanos() / 1e9);
        put(all, settings, "queue_pairs", "-q", load.queuePairs());
        put(all, settings, "bidirectional", "-b", load.bidirectional());
        put(all, settings, "outstanding_reads", "-o", load.outstandingReads());
        put(all, settings, "mtu", "-m", load.mtu());
        put(all, settings, "rate_limit", "--rate_limit", load.rate());
        put(all, settings, "rate_units", "--rate_units", load.rateUnit());
        put(all, settings, "atomic", "-A", load.atomic());
        put(all, settings, "tx_depth", "-t", queues.txDepth());
        put(all, settings, "rx_depth", "-r", queues.rxDepth());
        put(all, settings, "post_list", "-l", queues.listOf(load.largest()));
        put(all, settings, "cq_moderation", "-Q", queues.moderation());
        put(all, settings, "inline_size", "-I", queues.inline());
        put(all, settings, "events", "-e", queues.events());
        put(all, settings, "port", "-p", settings.place().port());
        put(all, settings, "interval_s", "-i", settings.report().interval().toNanos() / 1e9);
        return all;
    }

    private static void put(
            Map<String, Json.EffectiveSetting> all, PerfSettings settings, String name, String flag, Object value) {
        boolean given = settings.given().contains(flag);
        all.put("perf." + name, new Json.EffectiveSetting(String.valueOf(value), given ? "flag" : "default"));
    }
}
