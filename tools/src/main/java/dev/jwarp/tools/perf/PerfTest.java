package dev.jwarp.tools.perf;

import java.util.Locale;

/** What is measured; the names are those of perftest without {@code ib_}. */
public enum PerfTest {
    WRITE_BW(Operation.WRITE, false, "RDMA_Write BW Test"),
    WRITE_LAT(Operation.WRITE, true, "RDMA_Write Latency Test"),
    READ_BW(Operation.READ, false, "RDMA_Read BW Test"),
    READ_LAT(Operation.READ, true, "RDMA_Read Latency Test"),
    SEND_BW(Operation.SEND, false, "Send BW Test"),
    SEND_LAT(Operation.SEND, true, "Send Latency Test"),
    ATOMIC_LAT(Operation.ATOMIC, true, "Atomic Latency Test");

    /** What moves the octets. */
    public enum Operation {
        /** RDMA Write; in datagrams Write-Record, which tells the target what came. */
        WRITE,
        READ,
        SEND,
        ATOMIC;

        /** {@return whether the initiator alone does it, so that its time is that of the way there and back} */
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

    /** {@return what moves the octets} */
    public Operation operation() {
        return operation;
    }

    /** {@return whether one message is under way at a time; else as many as the send queue holds} */
    public boolean latency() {
        return latency;
    }

    /** {@return its title on the page} */
    public String title() {
        return title;
    }

    /** {@return its name on the command line} */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return what a latency means: {@code half-rtt} where messages go to and fro, {@code rtt} where data are fetched} */
    public String basis() {
        return operation.fetches() ? "rtt" : "half-rtt";
    }
}
