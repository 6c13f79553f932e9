package dev.jwarp.sockets.stream;

/** The credits of both ends of a stream: each is a receive buffer that the other end may send one message to. Counts are modulo 65,536. */
final class Credits {
    private static final int MODULUS = 0xFFFF;

    private final int own;
    private int peer;

    /** Messages to the peer that cost a credit, and how many of those the peer has given back. */
    private int used;

    private int given;

    /** Messages of the peer that cost a credit; how many of those are free again, and of how many the peer was told. */
    private int came;

    private int freed;
    private int told;

    /** Messages that are freed and not told to the peer: those with data, and those that ask for data. */
    private int freedData;

    Credits(int own) {
        this.own = own;
    }

    int own() {
        return own;
    }

    /** The peer has so many: all are used, and it gives them back when half of them were. */
    void begin(int ofPeer) {
        peer = ofPeer;
    }

    // ---- to the peer

    /** {@return messages that may go} */
    int left() {
        return peer - notGiven();
    }

    /** {@return messages whose credit the peer has not given back} */
    int notGiven() {
        return used - given & MODULUS;
    }

    /** A message goes that costs one. */
    void use() {
        used = used + 1 & MODULUS;
    }

    /** {@return how many more the peer gives back with that count} */
    int more(int grant) {
        return grant - given & MODULUS;
    }

    /** The peer has given back as many, of those that were used. */
    void take(int grant) {
        given = grant;
    }

    // ---- from the peer

    /** {@return whether the peer had a credit for what has come} */
    boolean came() {
        came = came + 1 & MODULUS;
        return (came - told & MODULUS) <= own;
    }

    /** A buffer is free. */
    void free(boolean ofData) {
        freed = freed + 1 & MODULUS;
        freedData += ofData ? 1 : 0;
    }

    /** {@return what a header says, which is told with it} */
    int tell() {
        told = freed;
        freedData = 0;
        return freed;
    }

    /** {@return whether half of them wait to be given back} */
    boolean due() {
        return 2 * freedData >= own;
    }
}
