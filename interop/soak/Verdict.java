import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges whether the resources of a process grow: by the median slope between any two samples (Theil and Sen), which outliers do
 * not change. The first third is not judged, because code is compiled and tables of fixed size fill up; in a short run the first
 * half, because a busy machine may need so long.
 */
final class Verdict {
    private static final double MIB = 1 << 20;
    /** Seconds that a thread may take for a round; the machine may be busy. */
    private static final double STILL = 60;
    /** Seconds until the last sample of a run that counts as short: five minutes, and what it may be late. */
    private static final double SHORT = 330;

    private final List<String> lines = new ArrayList<>();
    private boolean flat = true;

    Verdict(List<Sample> all, List<String> worlds) {
        boolean brief = all.isEmpty() || all.get(all.size() - 1).get("seconds") <= SHORT;
        List<Sample> judged = all.subList(all.size() / (brief ? 2 : 3), all.size());
        if (judged.size() < 5) {
            say(false, "only " + judged.size() + " samples to judge: let it run longer, or sample more often");
            return;
        }
        double seconds = judged.get(judged.size() - 1).get("seconds") - judged.get(0).get("seconds");
        lines.add(String.format("  %-36s %12s %12s %14s %12s  verdict", "", "first", "last", "growth", "allowed"));
        Map<String, Double> limits = limits();
        judged.get(0).values().keySet().stream()
                .filter(name -> name.startsWith(Sample.USED))
                .forEach(name -> limits.put(name, Math.max(256, judged.get(0).get(name) / 10)));
        limits.forEach((name, most) -> {
            double growth = slope(judged, name) * seconds;
            double unit = name.endsWith("_bytes") ? MIB : 1;
            say(
                    growth <= most,
                    String.format(
                            "%-36s %12.2f %12.2f %14.3f %12.3f",
                            name.replace("_bytes", " [MiB]"),
                            judged.get(0).get(name) / unit,
                            judged.get(judged.size() - 1).get(name) / unit,
                            growth / unit,
                            most / unit));
        });
        for (String world : worlds) {
            double rounds = all.get(all.size() - 1).get(world);
            double still = longestStill(all, world);
            say(rounds > 0 && still <= STILL, String.format("%-36s %.0f rounds; at most %.0f s without one", world, rounds, still));
        }
    }

    /** {@return the seconds between the samples that enclose the longest time without a round} */
    private static double longestStill(List<Sample> all, String world) {
        double longest = 0;
        double since = 0;
        double before = 0;
        for (Sample sample : all) {
            if (sample.get(world) > before) {
                since = sample.get("seconds");
            }
            before = sample.get(world);
            longest = Math.max(longest, sample.get("seconds") - since);
        }
        return longest;
    }

    /** {@return how much more there may be at the end than at the start of what is judged} */
    private static Map<String, Double> limits() {
        Map<String, Double> most = new LinkedHashMap<>();
        most.put("heap_bytes", MIB);
        most.put("direct_bytes", MIB);
        most.put("rss_bytes", 24 * MIB);
        most.put("threads", 0.9);
        most.put("fds", 0.9);
        Sample.TABLES.forEach(name -> most.put(name, 0.9));
        return most;
    }

    private void say(boolean well, String line) {
        flat &= well;
        lines.add("  " + line + "  " + (well ? "ok" : "FAIL"));
    }

    /** {@return by how much it grows in a second} */
    static double slope(List<Sample> samples, String name) {
        List<Double> slopes = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            for (int j = i + 1; j < samples.size(); j++) {
                double apart = samples.get(j).get("seconds") - samples.get(i).get("seconds");
                slopes.add((samples.get(j).get(name) - samples.get(i).get(name)) / apart);
            }
        }
        slopes.sort(null);
        return slopes.get(slopes.size() / 2);
    }

    boolean flat() {
        return flat;
    }

    List<String> lines() {
        return lines;
    }
}
