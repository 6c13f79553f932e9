package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machine in one line, without date and name. */
final class Machine {
    private Machine() {}

    static String describe() {
        return String.format(
                Locale.ROOT,
                "%s, %d cores, %s of memory, Linux %s, Java %s; over loopback, TCP %s%s",
                find("/proc/cpuinfo", "model name\\s*: (.*)", System.getProperty("os.arch", "?")),
                Runtime.getRuntime().availableProcessors(),
                memory(find("/proc/meminfo", "MemTotal:\\s*([0-9]+)", "0")),
                System.getProperty("os.version", "?").replaceAll("^([0-9]+\\.[0-9]+).*", "$1"),
                Runtime.version().feature(),
                find("/proc/sys/net/ipv4/tcp_congestion_control", "(.*)", "?"),
                find("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "(.*)", "1")
                                .equals("0")
                        ? ""
                        : ", which starts anew after each pause");
    }

    private static String memory(String kib) {
        return Math.round(Long.parseLong(kib) / 1024.0 / 1024.0) + " GiB";
    }

    private static String find(String file, String regex, String otherwise) {
        try {
            Matcher matcher = Pattern.compile(regex).matcher(Files.readString(Path.of(file)));
            return matcher.find() ? matcher.group(1).strip() : otherwise;
        } catch (IOException e) {
            return otherwise;
        }
    }
}
