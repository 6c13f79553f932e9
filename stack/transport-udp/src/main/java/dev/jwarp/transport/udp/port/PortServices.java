package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.DatagramParser;

/** The calls of a {@link PortQueuePair} to its port. The owner's thread only. */
public interface PortServices {
    /** {@return the number of the queue pair} */
    int queuePairNumber();

    /** {@return its Q_Key} */
    int key();

    /** {@return whether that source has proved its address or is trusted (datagram-iWARP §9)} Allocates nothing. */
    boolean validated(DatagramAddress source, long nowNanos);

    /**
     * {@return whether this question has a valid cookie} If so, its source is validated from then on. Checking a cookie
     * costs up to two HMACs, so check the Key of the datagram first.
     */
    boolean proves(DatagramParser question, long nowNanos);

    /**
     * {@return the proof that the source sent this question} Call it after the check of the Key; see {@link #proves}.
     */
    AddressProof proof(DatagramParser question, long nowNanos);

    /**
     * {@return whether an answer to a violation may be sent to that source now; counted as sent or as withheld}
     * The limits of NOTIFY (datagram-iWARP §9), which RD-RESET 1 shares.
     */
    boolean admitsAnswer(DatagramAddress source, long nowNanos);

    /** Answers with a CHALLENGE: the source has to prove its address. */
    void challenge(ReceivedDatagram question, long nowNanos);

    /** Connects that peer with its path, whose MTU is searched from now on. */
    void follow(DatagramPeer peer);

    /** {@return whether the PATH-REPLY answers a PATH-PROBE for the path to its source} */
    boolean answersProbe(DatagramParser reply, long nowNanos);

    /**
     * Answers a PATH-PROBE that is for this queue pair, within limits.
     *
     * @param key the Key of the answer: that of the question, or with flag D the tag that the peer chose
     * @param proved whether it is certain that the source sent the probe: only then its data about the path is used
     * @param received the number of DATA datagrams received from the peer, modulo 2^32; 0 if not counted
     */
    void answerProbe(DatagramParser question, int key, boolean proved, int received, long nowNanos);

    /**
     * {@return the queue to which single datagrams may be added at any time, such as answers within {@link
     * PortQueuePair#receive}} They are sent before all others, and are dropped and counted if the queue is full.
     */
    AnswerQueue answers();

    /** Adds one to a counter; a drop is also recorded for the source of the datagram that is being received. */
    void count(UdpCounter counter);

    /** Records for its source a datagram that the layer above dropped; {@code cause} is the counter of that layer. */
    void dropped(DatagramAddress source, String cause);

    /** {@return the settings} */
    UdpSettings settings();

    /** {@return 64 unpredictable bits} */
    long random();
}
