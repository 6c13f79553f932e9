package dev.jwarp.sockets.stream;

/** The stream whose bytes a {@link DirectOutput} and a {@link DirectInput} move: it says their messages, and numbers what they post. */
interface DirectHost {
    /** Says a message that tells of memory. */
    void say(int kind, DirectMemory memory);

    /** Says a message that tells what was moved. */
    void say(int kind, long word, int length);

    /** {@return the id of what is posted now, which is of that kind} */
    long id(int kind);

    /** The peer has broken the stream. */
    void fail(PeerFault fault, String detail);
}
