package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.RdResetReason;

/**
 * The output of a {@link RdEndpoint}, except for DATA, which the layer above writes through its {@link
 * dev.jwarp.llp.datagram.SegmentWriter}. A call within {@link RdEndpoint#poll} has room for one datagram; the datagram
 * of another call may be dropped, as in the network. Arguments are valid during the call only. Owner thread only; must
 * not call back.
 */
interface RdPort {
    /** Within poll: an RD-OPEN, with the peer's cookie if it has one. */
    void open(DatagramPeer peer, int messageId, RdFields fields, long nowNanos);

    /** Within poll: an RD-ACCEPT. */
    void accept(DatagramPeer peer, int key, int messageId, RdFields fields);

    /** Within poll: an RD-ACK. */
    void ack(DatagramPeer peer, int key, RdFields fields);

    /** Within poll: a PATH-PROBE through a channel, with {@code octets} of UDP payload; 0 for the least length. */
    void probe(DatagramPeer peer, int key, int messageId, int octets, long token);

    /** Within poll: an RD-RESET for a channel, not reflected. */
    void reset(DatagramPeer peer, int key, int messageId, RdResetReason reason, int control);

    /** At any time: an RD-RESET in answer to a datagram, within the limits of NOTIFY (datagram-iWARP §9). */
    void answer(ReceivedDatagram question, int key, boolean reflected, RdResetReason reason, long nowNanos);

    /** At any time: an RD-RESET for a channel of a queue pair that is closed or stopped; never dropped here. */
    void farewell(DatagramPeer peer, int key, RdResetReason reason, int control);

    /** At any time: an RD-RESET for a channel that has ended, and may be followed by a new one. */
    void displaced(DatagramPeer peer, int key);

    /** At any time: a CHALLENGE in answer to an RD-OPEN. */
    void challenge(ReceivedDatagram question, long nowNanos);

    /** Adds one to a counter. */
    void count(UdpCounter counter);

    /** Records for its source a datagram that the layer above dropped; {@code cause} is the counter of that layer. */
    void dropped(DatagramAddress source, String cause);

    /** {@return 64 unpredictable bits} */
    long random();
}
