package dev.jwarp.sockets.stream;

/** The stream whose bytes a {@link DirectOutput} and a {@link DirectInput} move: it says their messages, and numbers what they post. */
interface DirectHost {
    /** What is posted to the queue pair, and frees something when it is done. */
    enum Posted {
        /** A message with data that were copied. */
        DATA,
        /** A message with data that go from where the program has them. */
        GATHERED,
        GRANT,
        ASK,
        TAKEN,
        /** A message that frees nothing. */
        OTHER,
        /** A compare-and-swap of the peer's word. */
        SWAP,
        /** An RDMA Write. */
        PUT,
        /** An RDMA Read. */
        FETCH
    }

    /** Says a message that tells of memory; {@code last}: a message of the program ends with it. */
    void say(int kind, DirectMemory memory, boolean last);

    /** Says a message that tells what was moved; {@code last}: a message of the program ends with it. */
    void say(int kind, long word, int length, boolean last);

    /** {@return the id of what is posted now, which is of that kind} */
    long id(Posted kind);

    /** The peer has broken the stream. */
    void fail(PeerFault fault, String detail);
}
