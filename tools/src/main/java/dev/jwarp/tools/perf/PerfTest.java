package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Nearest;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The tests; the names are those of perftest without {@code ib_}. */
public enum PerfTest {
    WRITE_BW(Operation.WRITE, false, "RDMA_Write BW Test"),
    WRITE_LAT(Operation.WRITE, true, "RDMA_Write Latency Test"),
    READ_BW(Operation.READ, false, "RDMA_Read BW Test"),
    READ_LAT(Operation.READ, true, "RDMA_Read Latency Test"),
    SEND_BW(Operation.SEND, false, "Send BW Test"),
    SEND_LAT(Operation.SEND, true, "Send Latency Test"),
    ATOMIC_LAT(Operation.ATOMIC, true, "Atomic Latency Test");

    /** The operation that moves the bytes. */
    public enum Operation {
        /** RDMA Write; in datagrams Write-Record, which reports the arrived bytes to the target. */
        WRITE,
        READ,
        SEND,
        ATOMIC;

        /** {@return whether only the initiator is active, so that the latency is that of a full round trip} */
        public boolean fetches() {
            return this == READ || this == ATOMIC;
        }
    }

    private final Operation operation;
    private final boolean latency;
    private final String title;

    PerfTest(Operation operation, boolean latency, String title) {
        this.operation = operation;
        this.latency = latency;
        this.title = title;
    }

    /** {@return the operation that moves the bytes} */
    public Operation operation() {
        return operation;
    }

    /** {@return whether one message at a time is in flight; otherwise as many as the send queue holds} */
    public boolean latency() {
        return latency;
    }

    /** Names on the command line: those here, and perftest's with {@code ib_} in front. */
    static final class Names implements Iterable<String>, ITypeConverter<PerfTest> {
        private static final String PREFIX = "ib_";

        /** Made by picocli. */
        Names() {}

        @Override
        public PerfTest convert(String name) {
            String lower = name.toLowerCase(Locale.ROOT);
            String word = lower.startsWith(PREFIX) ? lower.substring(PREFIX.length()) : lower;
            for (PerfTest test : PerfTest.values()) {
                if (test.word().equals(word)) {
                    return test;
                }
            }
            throw new TypeConversionException("there is no test '" + name + "'" + Nearest.question(word, words()));
        }

        @Override
        public Iterator<String> iterator() {
            return words().iterator();
        }

        private static List<String> words() {
            return Arrays.stream(PerfTest.values()).map(PerfTest::word).toList();
        }
    }

    /** {@return its title on the page} */
    public String title() {
        return title;
    }

    /** {@return its name on the command line} */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * {@return the meaning of a latency: {@code half-rtt} if messages go in both directions, {@code rtt} for Reads and
     * Atomics}
     */
    public String basis() {
        return operation.fetches() ? "rtt" : "half-rtt";
    }
}
