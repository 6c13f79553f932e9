package dev.jwarp.tools.perf;

import dev.jwarp.tools.perf.PerfSettings.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether a server can do what a client wants: whatever the server's own user has said must be the same. */
final class PerfAgreement {
    private PerfAgreement() {}

    /** {@return what does not fit, for both users; null if all does} */
    static @Nullable String objection(PerfSettings server, Hello client) {
        List<String> differences = new ArrayList<>();
        if (server.test() != client.test()) {
            return "the server runs " + server.test().word() + ", the client "
                    + client.test().word();
        }
        Load ours = server.load();
        Load theirs = client.load();
        compare(server, differences, "-c", ours.type(), theirs.type());
        compare(server, differences, "-s", ours.size(), theirs.allSizes() ? "all sizes (-a)" : theirs.size());
        compare(server, differences, "-a", ours.allSizes(), theirs.allSizes());
        compare(server, differences, "-n", ours.iterations(), theirs.timed() ? "a time (-D)" : theirs.iterations());
        compare(server, differences, "-D", seconds(ours), theirs.timed() ? seconds(theirs) : "iterations (-n)");
        compare(server, differences, "--run_infinitely", ours.infinite(), theirs.infinite());
        compare(server, differences, "-q", ours.queuePairs(), theirs.queuePairs());
        compare(server, differences, "-b", ours.bidirectional(), theirs.bidirectional());
        compare(server, differences, "-o", ours.outstandingReads(), theirs.outstandingReads());
        compare(server, differences, "-m", ours.mtu(), theirs.mtu());
        compare(server, differences, "-A", ours.atomic(), theirs.atomic());
        compare(server, differences, "--rate_limit", ours.rate(), theirs.rate());
        compare(server, differences, "--rate_units", ours.rateUnit(), theirs.rateUnit());
        return differences.isEmpty() ? null : String.join("; ", differences);
    }

    private static String seconds(Load load) {
        return load.duration().toMillis() / 1e3 + " s";
    }

    private static void compare(PerfSettings server, List<String> into, String flag, Object ours, Object theirs) {
        if (server.given().contains(flag) && !Objects.equals(ours, theirs)) {
            into.add("the server was started with " + flag + (ours instanceof Boolean ? "" : " " + ours)
                    + ", the client " + (theirs instanceof Boolean ? "without" : "wants " + theirs));
        }
    }
}
