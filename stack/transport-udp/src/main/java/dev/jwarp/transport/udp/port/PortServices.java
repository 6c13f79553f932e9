package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.DatagramParser;

/** What a {@link PortQueuePair} may ask of its port. The owner's thread only. */
public interface PortServices {
    /** {@return the number of the queue pair} */
    int queuePairNumber();

    /** {@return its Q_Key} */
    int key();

    /** {@return whether that source has proved its address, or need not (datagram-iWARP §9)} Allocates nothing. */
    boolean validated(DatagramAddress source, long nowNanos);

    /**
     * {@return whether this question shows a cookie, and a right one} From then on its source is validated. A cookie costs
     * up to two HMACs: a datagram without the right Key does not make us compute them.
     */
    boolean proves(DatagramParser question, long nowNanos);

    /** {@return how sure it is that the source sent this question} After the check of its Key; see {@link #proves}. */
    AddressProof proof(DatagramParser question, long nowNanos);

    /**
     * {@return whether an answer to a violation may be sent to that source now; it is counted as sent, or as withheld}
     * The limits of NOTIFY (datagram-iWARP §9), which RD-RESET 1 shares.
     */
    boolean admitsAnswer(DatagramAddress source, long nowNanos);

    /** Answers with a CHALLENGE: the source has to prove its address. */
    void challenge(ReceivedDatagram question, long nowNanos);

    /** The path to that peer says from now on what it takes: it is found out. */
    void follow(DatagramPeer peer);

    /** {@return whether that PATH-REPLY answers a PATH-PROBE for the path to its source} */
    boolean answersProbe(DatagramParser reply, long nowNanos);

    /**
     * Answers a PATH-PROBE that is for this queue pair, within limits.
     *
     * @param key of the answer: that of the question, or with flag D the tag that the asker chose
     * @param proved whether it is certain that the source sent it: then what it says of the path counts
     * @param received DATA that came from the asker, modulo 2^32; 0 if it is not counted
     */
    void answerProbe(DatagramParser question, int key, boolean proved, int received, long nowNanos);

    /**
     * {@return where single datagrams may be put at any time, such as answers within {@link PortQueuePair#receive}; they go
     * out before everything else, and are dropped and counted if there are too many}
     */
    AnswerQueue answers();

    /** Adds one to a counter; one of a check that failed is put down to the source that is being received from. */
    void count(UdpCounter counter);

    /** Puts a datagram down to its source that the layer above did not accept; {@code cause} is what it counted. */
    void dropped(DatagramAddress source, String cause);

    /** {@return the settings} */
    UdpSettings settings();

    /** {@return 64 bits that cannot be guessed} */
    long random();
}
