package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.ServiceStatus;
import java.nio.ByteBuffer;

/**
 * The body of a RESOLVED (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0        1         2          4     8       12     14                16                   20
 *         Status | QP Type | Versions | QPN | Q_Key | Port | Largest Payload | Max Message Length | Max Read Length
 *         24               26     28
 *         Private Length | zero | Private Data      28 octets and data
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class ResolvedBody extends Body {
    public static final int STATUS_OFFSET = 0;
    static final int QP_TYPE_OFFSET = 1;
    static final int VERSIONS_OFFSET = 2;
    static final int QPN_OFFSET = 4;
    static final int KEY_OFFSET = 8;
    static final int PORT_OFFSET = 12;
    static final int LARGEST_PAYLOAD_OFFSET = 14;
    static final int MAXIMUM_MESSAGE_OFFSET = 16;
    static final int MAXIMUM_READ_OFFSET = 20;
    static final int PRIVATE_LENGTH_OFFSET = 24;
    static final int ZERO_OFFSET = 26;
    static final int PRIVATE_DATA_OFFSET = 28;
    /** Octets of the body without private data. */
    public static final int LENGTH = 28;

    /** {@return the number of the status; {@link ServiceStatus#of} names it} */
    public int status() {
        return octet(STATUS_OFFSET);
    }

    /** {@return the number of the queue pair's service, 0 if there is none} */
    public int qpType() {
        return octet(QP_TYPE_OFFSET);
    }

    /** {@return the versions of the answering end, bit v for version v} */
    public int versions() {
        return half(VERSIONS_OFFSET);
    }

    /** {@return the number of the queue pair; the parser has checked that it has 24 bits} */
    public int qpn() {
        return buffer.getInt(at + QPN_OFFSET);
    }

    /** {@return the Q_Key} */
    public int key() {
        return buffer.getInt(at + KEY_OFFSET);
    }

    /** {@return the UDP port, or 0 for the port that was asked} */
    public int port() {
        return half(PORT_OFFSET);
    }

    /** {@return the largest UDP payload of the queue pair, octets} */
    public int largestPayload() {
        return half(LARGEST_PAYLOAD_OFFSET);
    }

    /** {@return the longest message of the queue pair, octets} */
    public long maximumMessage() {
        return buffer.getInt(at + MAXIMUM_MESSAGE_OFFSET) & 0xffff_ffffL;
    }

    /** {@return the longest RDMA Read that the queue pair answers, octets} */
    public long maximumRead() {
        return buffer.getInt(at + MAXIMUM_READ_OFFSET) & 0xffff_ffffL;
    }

    /** {@return octets of private data} */
    public int privateLength() {
        return half(PRIVATE_LENGTH_OFFSET);
    }

    /** {@return a copy of the private data} Allocates. */
    public byte[] privateData() {
        return octets(PRIVATE_DATA_OFFSET, privateLength());
    }

    /** Writes status and versions, and zeros for the fields of a queue pair (DG-R.2-2). */
    public void status(ServiceStatus status, int versions) {
        for (int i = 0; i < LENGTH; i += Integer.BYTES) {
            buffer.putInt(at + i, 0);
        }
        buffer.put(at + STATUS_OFFSET, (byte) status.number());
        buffer.putShort(at + VERSIONS_OFFSET, (short) versions);
    }

    /** Writes the queue pair; after {@link #status}. */
    public void queuePair(int qpType, int qpn, int key, int port) {
        buffer.put(at + QP_TYPE_OFFSET, (byte) qpType);
        buffer.putInt(at + QPN_OFFSET, qpn);
        buffer.putInt(at + KEY_OFFSET, key);
        buffer.putShort(at + PORT_OFFSET, (short) port);
    }

    /** Writes the limits of the queue pair; after {@link #status}. */
    public void limits(int largestPayload, long maximumMessage, long maximumRead) {
        buffer.putShort(at + LARGEST_PAYLOAD_OFFSET, (short) largestPayload);
        buffer.putInt(at + MAXIMUM_MESSAGE_OFFSET, (int) maximumMessage);
        buffer.putInt(at + MAXIMUM_READ_OFFSET, (int) maximumRead);
    }

    /** Writes the private data and its length, at most {@link ResolveBody#MAXIMUM_PRIVATE_LENGTH} octets. */
    public void privateData(ByteBuffer data, int offset, int length) {
        buffer.putShort(at + PRIVATE_LENGTH_OFFSET, (short) length);
        buffer.put(at + PRIVATE_DATA_OFFSET, data, offset, length);
    }
}
