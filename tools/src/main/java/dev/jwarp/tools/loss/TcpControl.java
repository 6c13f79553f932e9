package dev.jwarp.tools.loss;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which congestion control the kernel's TCP has. Java cannot ask its sockets, but {@code ss} of iproute2 can. */
final class TcpControl {
    private static final Path OF_SYSTEM = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    /** What ss may put before the name. */
    private static final Set<String> BEFORE = Set.of("ts", "sack", "ecn", "ecnseen", "fastopen");

    private TcpControl() {}

    /** {@return what connections of this network namespace get if nothing else is said} */
    static String ofSystem() {
        try {
            return Files.readString(OF_SYSTEM).strip();
        } catch (IOException e) {
            return "which is not known";
        }
    }

    /** Makes it trouble if the connection to that place has another one than the trial wants. */
    static void check(LossTrial trial, LossPlace target, LossEnd end) {
        String wanted = trial.control();
        if (wanted == null) {
            return;
        }
        Shell.Said said = Shell.run(List.of("ss", "-tniH", "dst", target.host() + ":" + target.port()));
        String found = said.well() ? name(said.text()) : null;
        if (!wanted.equals(found)) {
            end.trouble("TCP has to use " + wanted + " here, and ss tells "
                    + (found == null ? "nothing: " + said.text() : found));
        }
    }

    /** {@return the name in what ss says of one connection; null if there is none} */
    static @Nullable String name(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length < 2) {
            return null;
        }
        for (String word : lines[1].strip().split(" +", -1)) {
            if (!BEFORE.contains(word)) {
                return word.isEmpty() ? null : word;
            }
        }
        return null;
    }
}
