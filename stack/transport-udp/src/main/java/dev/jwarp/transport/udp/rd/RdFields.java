package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.RdAckBody;

/** What a datagram says of its channel (datagram-iWARP §4.4); each Kind has some of these. Reused. Owner thread only. */
final class RdFields {
    /** RD-OPEN, RD-ACCEPT: that of the sender, which its peer has to show. DATA that is sent: that of the peer, the Key. */
    int tag;
    /** RD-OPEN: the tag before. */
    int previousTag;
    /** The PSN of DATA; the first of RD-OPEN and RD-ACCEPT. */
    int psn;
    /** DATA, RD-ACCEPT, RD-ACK. */
    int ack;
    /** All of them. */
    int window;
    /** Flag A of DATA. */
    boolean ackWanted;
    /** Flag RNR of RD-ACK. */
    boolean notReady;
    /** RD-ACK: so many SACK words; 0 in others. */
    int count;
    /** The SACK words. */
    final long[] words = new long[RdAckBody.MAXIMUM_WORDS];
}
