package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.DatagramService;
import java.nio.ByteBuffer;

/**
 * The body of a RESOLVE, without the pad behind it (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0                8          9      10         12               14     16
 *         Service Id (8) | QP Types | zero | Versions | Private Length | zero | Private Data      16 octets and data
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class ResolveBody extends Body {
    public static final int SERVICE_ID_OFFSET = 0;
    static final int QP_TYPES_OFFSET = 8;
    static final int ZERO_OFFSET = 9;
    public static final int VERSIONS_OFFSET = 10;
    static final int PRIVATE_LENGTH_OFFSET = 12;
    static final int SECOND_ZERO_OFFSET = 14;
    public static final int PRIVATE_DATA_OFFSET = 16;
    /** Octets of the body without private data. */
    public static final int LENGTH = 16;

    /** The most private data, here and in a RESOLVED. */
    public static final int MAXIMUM_PRIVATE_LENGTH = 216;
    /** Octets of every RESOLVE datagram, pad and CRC included: no answer is longer (datagram-iWARP §4.4, DG-9.5-1). */
    public static final int DATAGRAM_LENGTH = 288;

    /** All legal bits of the QP types. */
    static final int ALL_QP_TYPES = DatagramService.UD.number() | DatagramService.RD.number();

    /** {@return the service id} */
    public long serviceId() {
        return buffer.getLong(at + SERVICE_ID_OFFSET);
    }

    /** {@return the bits of the QP types wanted} */
    public int qpTypes() {
        return octet(QP_TYPES_OFFSET);
    }

    /** {@return whether a queue pair of this service is acceptable} */
    public boolean wants(DatagramService service) {
        return (qpTypes() & service.number()) != 0;
    }

    /** {@return the versions of the asking end, bit v for version v} */
    public int versions() {
        return half(VERSIONS_OFFSET);
    }

    /** {@return octets of private data} */
    public int privateLength() {
        return half(PRIVATE_LENGTH_OFFSET);
    }

    /** {@return a copy of the private data} Allocates. */
    public byte[] privateData() {
        return octets(PRIVATE_DATA_OFFSET, privateLength());
    }

    /** Writes all fields but the private data. */
    public void set(long serviceId, int qpTypes, int versions) {
        buffer.putLong(at + SERVICE_ID_OFFSET, serviceId);
        buffer.put(at + QP_TYPES_OFFSET, (byte) qpTypes);
        buffer.put(at + ZERO_OFFSET, (byte) 0);
        buffer.putShort(at + VERSIONS_OFFSET, (short) versions);
        buffer.putShort(at + SECOND_ZERO_OFFSET, (short) 0);
    }

    /** Writes the private data and its length, at most {@link #MAXIMUM_PRIVATE_LENGTH} octets of {@code data}. */
    public void privateData(ByteBuffer data, int offset, int length) {
        buffer.putShort(at + PRIVATE_LENGTH_OFFSET, (short) length);
        buffer.put(at + PRIVATE_DATA_OFFSET, data, offset, length);
    }
}
