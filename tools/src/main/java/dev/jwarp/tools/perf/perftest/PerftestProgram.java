package dev.jwarp.tools.perf.perftest;

/** The programs of perftest that the exchange is spoken with. */
public enum PerftestProgram {
    /** The client writes as much as it can. */
    WRITE_BW("ib_write_bw", Operation.WRITE, false),
    /** The client reads as much as it can. */
    READ_BW("ib_read_bw", Operation.READ, false),
    /** The client sends as much as it can. */
    SEND_BW("ib_send_bw", Operation.SEND, false),
    /** Both write in turn, and watch their memory for it; the server begins. */
    WRITE_LAT("ib_write_lat", Operation.WRITE, true),
    /** The client reads, one read at a time. */
    READ_LAT("ib_read_lat", Operation.READ, true),
    /** Both send in turn; the client begins. */
    SEND_LAT("ib_send_lat", Operation.SEND, true);

    /** What moves the data. */
    enum Operation {
        WRITE,
        READ,
        SEND
    }

    private final String original;
    private final Operation operation;
    private final boolean latency;

    PerftestProgram(String original, Operation operation, boolean latency) {
        this.original = original;
        this.operation = operation;
        this.latency = latency;
    }

    /** {@return the name of perftest's program} */
    public String original() {
        return original;
    }

    Operation operation() {
        return operation;
    }

    /** {@return whether it measures one message at a time} */
    public boolean latency() {
        return latency;
    }

    /** {@return whether a sample is there and back, of which the half is told} */
    public boolean halved() {
        return latency && operation != Operation.READ;
    }

    /** {@return how often the two ends swap their {@link Destination}s, always the same, once the second connection is there} */
    int swapsBeforeData() {
        return latency && operation != Operation.SEND ? 4 : 3;
    }

    /** {@return whether there is one more swap before the data, for the receives to be posted} */
    boolean swapsForReceives() {
        return operation == Operation.SEND;
    }

    /** {@return whether the client tells its figures, behind a swap of its own} */
    boolean reports() {
        return !latency && operation != Operation.SEND;
    }

    /** {@return whether there is a last swap that says good-bye} */
    boolean saysGoodbye() {
        return this != WRITE_LAT;
    }

    /** {@return whether the server has nothing to do but to be there} */
    boolean passiveServer() {
        return operation == Operation.READ || this == WRITE_BW;
    }
}
