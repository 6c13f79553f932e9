package dev.jwarp.tools.demo;

/** The three ways in which the demo moves a file. */
enum Operation {
    /** The client writes into the server's memory. */
    RDMA_WRITE(1, "RDMA Write"),
    /** The server reads from the client's memory. */
    RDMA_READ(2, "RDMA Read"),
    /** The client sends into receives that the server has posted. */
    SEND_RECEIVE(3, "Send/Receive");

    private final int code;
    private final String title;

    Operation(int code, String title) {
        this.code = code;
        this.title = title;
    }

    /** {@return its number in the demo's control messages} */
    int code() {
        return code;
    }

    /** {@return the name for people} */
    String title() {
        return title;
    }
}
