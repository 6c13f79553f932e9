package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** iperf3, one stream with its own defaults (128 KiB writes): for orientation. */
final class Iperf extends Tool {
    private static final Pattern RECEIVED =
            Pattern.compile("\"sum_received\":\\s*\\{[^}]*\"seconds\":\\s*([0-9.]+),\\s*\"bytes\":\\s*([0-9]+)");
    private static final int MESSAGE = 64 * 1024;

    private final boolean oneCore;

    Iperf(boolean oneCore) throws IOException {
        super("iperf3", "iperf3");
        this.oneCore = oneCore;
    }

    @Override
    int core(int end) {
        return oneCore ? 0 : end;
    }

    @Override
    List<String> server(int port, long count) {
        return words("iperf3 -s -1 -B 127.0.0.1 -p " + port);
    }

    @Override
    List<String> client(int port, long count) {
        return words("iperf3 -c 127.0.0.1 -p " + port + " -J -n " + count * MESSAGE);
    }

    @Override
    Figures figures(String output, long count) throws IOException {
        return parse(output);
    }

    static Figures parse(String output) throws IOException {
        Matcher matcher = RECEIVED.matcher(output);
        if (!matcher.find()) {
            throw new IOException("iperf3 did not print the number of received bytes");
        }
        long octets = Long.parseLong(matcher.group(2));
        return Figures.ofRate(octets / MESSAGE, octets, (long) (Double.parseDouble(matcher.group(1)) * 1e9));
    }
}
