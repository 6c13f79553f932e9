package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.wire.RdAckBody;

/** The channel fields of a datagram (datagram-iWARP §4.4); each Kind has some of them. Reused. Owner thread only. */
final class RdFields {
    /** RD-OPEN, RD-ACCEPT: the sender's tag, which its peer has to show. DATA to send: the peer's tag, the Key. */
    int tag;
    /** RD-OPEN: the previous tag. */
    int previousTag;
    /** DATA: the PSN. RD-OPEN, RD-ACCEPT: the first PSN. */
    int psn;
    /** DATA, RD-ACCEPT, RD-ACK. */
    int ack;
    /** All Kinds. */
    int window;
    /** Flag A of DATA. */
    boolean ackWanted;
    /** Flag RNR of RD-ACK. */
    boolean notReady;
    /** RD-ACK: the number of SACK words; 0 in other Kinds. */
    int count;
    /**
     * PATH-REPLY: token and received length of the PATH-PROBE; largest payload that the peer takes.
     */
    long token;

    int length;
    int takes;

    /** The SACK words. */
    final long[] words = new long[RdAckBody.MAXIMUM_WORDS];
    /** Whether this is an RD-ACK, not DATA with an Ack; all following fields belong to it. */
    boolean alone;
    /** The number of the RD-ACK in the channel and direction. */
    int serial;
    /** An RD-ACK with a later number has come: only Ack and words of this one count. */
    boolean late;
    /** The number of the first word. */
    int firstWord;
    /** The PSN of the datagram received last, and the time since, in units of RdAckBody. */
    int echo;

    int delay;
    /** The number of duplicates, and the PSN of the last one. */
    int duplicates;

    int lastDuplicate;
}
