package dev.jwarp.sockets.stream;

/** The stream whose bytes a {@link DirectOutput} and a {@link DirectInput} move: it says their messages, and numbers what they post. */
interface DirectHost {
    /** Says a message that tells of memory; {@code last}: a message of the program ends with it. */
    void say(int kind, DirectMemory memory, boolean last);

    /** Says a message that tells what was moved; {@code last}: a message of the program ends with it. */
    void say(int kind, long word, int length, boolean last);

    /** {@return the id of what is posted now, which is of that kind} */
    long id(int kind);

    /** The peer has broken the stream. */
    void fail(PeerFault fault, String detail);
}
