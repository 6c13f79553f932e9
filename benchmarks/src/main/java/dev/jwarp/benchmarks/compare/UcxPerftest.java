package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** UCX over TCP, both ends polling on a core of their own. */
final class UcxPerftest extends Tool {
    private final String test;
    private final int size;

    /**
     * @param test the value of its {@code -t}: tests that end in {@code _lat} count one direction, half a round trip
     */
    UcxPerftest(String test, int size) throws IOException {
        super("ucx_perftest", "ucx-utils");
        this.test = test;
        this.size = size;
    }

    @Override
    List<String> server(int port, long count) {
        return words("ucx_perftest -p " + port);
    }

    @Override
    List<String> client(int port, long count) {
        String rounds = " -n " + count + " -w " + Math.max(100, count / 10);
        return words("ucx_perftest 127.0.0.1 -p " + port + " -t " + test + " -s " + size + rounds + " -f -v");
    }

    @Override
    Map<String, String> environment() {
        return Players.ENVIRONMENT;
    }

    @Override
    Figures figures(String output, long count) throws IOException {
        return parse(output, test, size);
    }

    /** The last line of its output: iterations, p50, average since the last line, average of all, in microseconds. */
    static Figures parse(String output, String test, int size) throws IOException {
        String[] lines = output.strip().split("\n", -1);
        String[] column = lines[lines.length - 1].strip().split(",", -1);
        try {
            long done = Long.parseLong(column[0]);
            double typical = Double.parseDouble(column[1]);
            double average = Double.parseDouble(column[3]);
            int ways = test.endsWith("_lat") ? 2 : 1;
            return Figures.ofTypical(
                    done, done * size, (long) (done * average * ways * 1e3), (long) (typical * ways * 1e3));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("ucx_perftest printed: " + lines[lines.length - 1], e);
        }
    }
}
