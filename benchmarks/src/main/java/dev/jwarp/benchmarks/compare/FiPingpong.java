package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.util.List;

/**
 * libfabric's own ping-pong over its tcp provider, connected endpoints, both ends polling. Its output has averages
 * only.
 */
final class FiPingpong extends Tool {
    private final int size;

    FiPingpong(int size) throws IOException {
        super("fi_pingpong", "libfabric-bin");
        this.size = size;
    }

    @Override
    List<String> server(int port, long count) {
        return words("fi_pingpong -p tcp -e msg -B " + port + " -S " + size + " -I " + count);
    }

    @Override
    List<String> client(int port, long count) {
        return words("fi_pingpong -p tcp -e msg -P " + port + " -S " + size + " -I " + count + " 127.0.0.1");
    }

    @Override
    Figures figures(String output, long count) throws IOException {
        return parse(output, count, size);
    }

    /**
     * The last line of its output: bytes, sent, acknowledged, total, time, MB/s, microseconds one way, millions a
     * second.
     */
    static Figures parse(String output, long count, int size) throws IOException {
        String[] lines = output.strip().split("\n", -1);
        String[] column = lines[lines.length - 1].strip().split(" +", -1);
        try {
            double oneWay = Double.parseDouble(column[6]);
            return Figures.ofRate(count, count * size, (long) (count * 2 * oneWay * 1e3));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("fi_pingpong printed: " + lines[lines.length - 1], e);
        }
    }
}
