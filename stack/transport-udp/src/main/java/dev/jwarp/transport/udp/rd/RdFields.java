package dev.jwarp.transport.udp.rd;

/** What a datagram of DATA carries for its channel (datagram-iWARP §4.4). Reused. Owner thread only. */
final class RdFields {
    int tag;
    int psn;
    int ack;
    int window;
    boolean ackWanted;
}
