package dev.jwarp.transport.udp;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What stands between the sockets of a port with keys and its engine: every datagram leaves in an envelope and comes in one
 * (datagram-iWARP §4.8). One for each port; its owner only.
 */
public interface DatagramSeal {
    /** Octets by which an envelope is longer than the datagram that it holds. */
    int OVERHEAD = 44;
    /** The datagram within an envelope begins so many octets behind where the envelope began. */
    int SHIFT = 28;

    /** {@return how long the envelope at {@code offset} says it is: 1 to {@code available}} No field is believed. */
    int stated(ByteBuffer buffer, int offset, int available);

    /**
     * Takes a datagram out of its envelope, where it lies: it begins {@link #SHIFT} octets later, is {@link #OVERHEAD} octets
     * shorter, and has a CRC of its own.
     *
     * @return null if it is authentic and came for the first time; else why it is not, and nothing was changed
     */
    @Nullable
    UdpCounter open(ByteBuffer buffer, int offset, int length, DatagramAddress source);

    /**
     * Puts the first datagrams of a batch into envelopes (DG-4.8-11), as many as one system call takes.
     *
     * @param plain not changed
     * @param sealed set to memory that is this object's, up to the next call
     * @return false if there is no key for their destination
     */
    boolean seal(DatagramBatch plain, DatagramBatch sealed);
}
