package dev.jwarp.sockets.stream;

/**
 * The credits of both ends of a stream. A credit is a receive buffer to which the other end may send one message.
 * Counts are modulo 65,536.
 */
final class Credits {
    private static final int MODULUS = 0xFFFF;

    private final int own;
    private int peer;

    /** Messages to the peer that cost a credit, and the number of credits that the peer has returned. */
    private int used;

    private int given;

    /**
     * Messages of the peer that cost a credit, how many of their buffers are free again, and how many credits were
     * returned to the peer.
     */
    private int came;

    private int freed;
    private int told;

    /** Free buffers of data messages and of ASKs, whose credits are not returned yet. */
    private int freedData;

    Credits(int own) {
        this.own = own;
    }

    int own() {
        return own;
    }

    /** Sets the credits of the peer. */
    void begin(int ofPeer) {
        peer = ofPeer;
    }

    // ---- messages to the peer

    /** {@return the number of messages that may be sent} */
    int left() {
        return peer - notGiven();
    }

    /** {@return the number of credits that the peer has not returned} */
    int notGiven() {
        return used - given & MODULUS;
    }

    /** Uses a credit for a message. */
    void use() {
        used = used + 1 & MODULUS;
    }

    /** {@return how many credits the peer returns with this count} */
    int more(int grant) {
        return grant - given & MODULUS;
    }

    /** Sets the count of credits that the peer has returned. */
    void take(int grant) {
        given = grant;
    }

    // ---- messages from the peer

    /** {@return whether the peer had a credit for the message that has arrived} */
    boolean came() {
        came = came + 1 & MODULUS;
        return (came - told & MODULUS) <= own;
    }

    /** Notes that a receive buffer is free. */
    void free(boolean ofData) {
        freed = freed + 1 & MODULUS;
        freedData += ofData ? 1 : 0;
    }

    /** {@return the count for a header, by which all free buffers are returned to the peer} */
    int tell() {
        told = freed;
        freedData = 0;
        return freed;
    }

    /** {@return whether half of the credits can be returned} */
    boolean due() {
        return 2 * freedData >= own;
    }
}
