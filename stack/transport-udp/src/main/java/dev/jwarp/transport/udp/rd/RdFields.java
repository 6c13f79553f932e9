package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.wire.RdSackBody;

/** What a datagram says of its channel (datagram-iWARP §4.4); each Kind has some of these. Reused. Owner thread only. */
final class RdFields {
    /** RD-OPEN, RD-ACCEPT: that of the sender, which its peer has to show. DATA that is sent: that of the peer, the Key. */
    int tag;
    /** RD-OPEN: the tag before. */
    int previousTag;
    /** The PSN of DATA; the first of RD-OPEN and RD-ACCEPT. */
    int psn;
    /** DATA, RD-ACCEPT, RD-ACK, RD-SACK. */
    int ack;
    /** All of them. */
    int window;
    /** RD-PART: octets of all parts of the datagram, 0 if it is DATA; and where in these this one begins. */
    int total;

    int offset;
    /** Flag A of DATA. */
    boolean ackWanted;
    /** Flag RNR of RD-ACK and RD-SACK. */
    boolean notReady;
    /** RD-ACK, RD-SACK: so many SACK words; 0 in others. */
    int count;
    /** PATH-REPLY: what the peer can do; the token of the PATH-PROBE; how long that was as it came; and what the peer takes at most. */
    int features;

    long token;
    int length;
    int takes;

    /** The SACK words. */
    final long[] words = new long[RdSackBody.MAXIMUM_WORDS];
    /** It is an RD-SACK, and all that follows is of it. */
    boolean sack;
    /** Its number in the channel and direction. */
    int serial;
    /** One with a later number has come: nothing but its Ack and its words counts. */
    boolean late;
    /** The first of the words is this one of all. */
    int firstWord;
    /** The PSN of the datagram that came last, and how long before, in units of RdSackBody. */
    int echo;

    int delay;
    /** How many came a second time, and the PSN of the last one of those. */
    int duplicates;

    int lastDuplicate;
}
