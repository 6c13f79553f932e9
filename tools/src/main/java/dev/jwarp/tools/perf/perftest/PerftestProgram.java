package dev.jwarp.tools.perf.perftest;

/** The supported programs of perftest. */
public enum PerftestProgram {
    /** The client writes as much as it can. */
    WRITE_BW("ib_write_bw", Operation.WRITE, false),
    /** The client reads as much as it can. */
    READ_BW("ib_read_bw", Operation.READ, false),
    /** The client sends as much as it can. */
    SEND_BW("ib_send_bw", Operation.SEND, false),
    /** Both write in turn, and poll their memory for the peer's Write; the server begins. */
    WRITE_LAT("ib_write_lat", Operation.WRITE, true),
    /** The client reads, one read at a time. */
    READ_LAT("ib_read_lat", Operation.READ, true),
    /** Both send in turn; the client begins. */
    SEND_LAT("ib_send_lat", Operation.SEND, true);

    /** The operation that moves the data. */
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

    /** {@return whether the program measures one message at a time} */
    public boolean latency() {
        return latency;
    }

    /** {@return whether a sample is a round trip, of which half is reported} */
    public boolean halved() {
        return latency && operation != Operation.READ;
    }

    /**
     * {@return how often the ends swap their {@link Destination}s, the same each time, after the second connection is
     * established}
     */
    int swapsBeforeData() {
        return latency && operation != Operation.SEND ? 4 : 3;
    }

    /** {@return whether there is one more swap before the data, after the receives are posted} */
    boolean swapsForReceives() {
        return operation == Operation.SEND;
    }

    /** {@return whether the client reports its results, after a separate swap} */
    boolean reports() {
        return !latency && operation != Operation.SEND;
    }

    /** {@return whether there is a final swap} */
    boolean saysGoodbye() {
        return this != WRITE_LAT;
    }

    /** {@return whether the server is passive} */
    boolean passiveServer() {
        return operation == Operation.READ || this == WRITE_BW;
    }
}
