package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.RdResetReason;

/**
 * Where a {@link RdEndpoint} leaves its datagrams, those of DATA apart, which the layer above writes through its {@link
 * dev.jwarp.llp.datagram.SegmentWriter}. What is called within {@link RdEndpoint#poll} has room for its one datagram;
 * what is called at other times may be dropped, as the network may drop it. What it is given is valid during the call only. Owner
 * thread only; must not call back.
 */
interface RdPort {
    /** Within poll: an RD-OPEN, with the peer's cookie if it has one. */
    void open(DatagramPeer peer, int messageId, RdFields fields, long nowNanos);

    /** Within poll: an RD-ACCEPT. */
    void accept(DatagramPeer peer, int key, int messageId, RdFields fields);

    /** Within poll: an RD-ACK. */
    void ack(DatagramPeer peer, int key, RdFields fields);

    /** Within poll: an RD-SACK. */
    void sack(DatagramPeer peer, int key, RdFields fields);

    /** Within poll: a PATH-PROBE through a channel, of so many octets of UDP payload; 0 for as short as one can be. */
    void probe(DatagramPeer peer, int key, int messageId, int octets, long token);

    /** Within poll: an RD-RESET for a channel, not reflected. */
    void reset(DatagramPeer peer, int key, int messageId, RdResetReason reason, int control);

    /** At any time: an RD-RESET in answer to a datagram, within the limits of NOTIFY (datagram-iWARP §9). */
    void answer(ReceivedDatagram question, int key, boolean reflected, RdResetReason reason, long nowNanos);

    /** At any time: an RD-RESET for a channel, as the queue pair goes; however many there are, none is dropped here. */
    void farewell(DatagramPeer peer, int key, RdResetReason reason, int control);

    /** At any time: an RD-RESET for a channel that had to make room for another peer's. */
    void displaced(DatagramPeer peer, int key);

    /** At any time: a CHALLENGE in answer to an RD-OPEN. */
    void challenge(ReceivedDatagram question, long nowNanos);

    /** Adds one to a counter. */
    void count(UdpCounter counter);

    /** Puts a datagram down to its source that the layer above did not accept; {@code cause} is what it counted. */
    void dropped(DatagramAddress source, String cause);

    /** {@return 64 bits that cannot be guessed} */
    long random();
}
