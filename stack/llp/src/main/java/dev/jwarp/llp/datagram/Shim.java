package dev.jwarp.llp.datagram;

/**
 * The fields of the shim (datagram-iWARP §4), which precedes a DDP segment in a datagram and identifies its message.
 * The lower layer fills one for each received datagram; the layer above fills one for each sent datagram. Reusable. One
 * thread at a time.
 */
public final class Shim {
    /** Destination QPN that stands for the default queue pair of a port. */
    public static final int DEFAULT_QPN = 0;
    /** Destination QPN of a port's resolver. */
    public static final int RESOLVER_QPN = 1;
    /** The smallest QPN of a queue pair of its own; 2 to 15 are reserved. */
    public static final int SMALLEST_QPN = 16;
    /** Destination QPN of every datagram to a group. */
    public static final int GROUP_QPN = 0xff_ffff;

    private int destinationQpn;
    private int sourceQpn;
    private int key;
    private int messageId;
    private long messageLength;
    private int segmentIndex;
    private int segmentSize;
    private boolean reply;
    private boolean reliable;
    private boolean group;
    private boolean padded;

    /** Creates a shim of zeros. */
    public Shim() {}

    /** Copies all fields of another shim; returns this. */
    public Shim set(Shim other) {
        return addressed(other.destinationQpn, other.sourceQpn, other.key)
                .message(other.messageId, other.messageLength)
                .segment(other.segmentIndex, other.segmentSize)
                .flags(other.reply, other.reliable, other.group, other.padded);
    }

    /** Sets sender and receiver, 24 bits each, and the Key; returns this. */
    public Shim addressed(int destination, int source, int key) {
        destinationQpn = destination;
        sourceQpn = source;
        this.key = key;
        return this;
    }

    /** Sets the Message Id and the Message Length, 0 to 2^32 - 1; returns this. */
    public Shim message(int id, long length) {
        messageId = id;
        messageLength = length;
        return this;
    }

    /** Sets Segment Index and Segment Size, 16 bits each; returns this. */
    public Shim segment(int index, int size) {
        segmentIndex = index;
        segmentSize = size;
        return this;
    }

    /** Sets the flags of the layer above; returns this. */
    public Shim flags(boolean reply, boolean reliable, boolean group, boolean padded) {
        this.reply = reply;
        this.reliable = reliable;
        this.group = group;
        this.padded = padded;
        return this;
    }

    /** {@return the number of the destination queue pair} */
    public int destinationQpn() {
        return destinationQpn;
    }

    /** {@return the number of the source queue pair; in a reply the number of the requested queue pair} */
    public int sourceQpn() {
        return sourceQpn;
    }

    /** {@return the Key: Q_Key of the destination, of the group, of the question, or the tag of the channel} */
    public int key() {
        return key;
    }

    /** {@return the Message Id} */
    public int messageId() {
        return messageId;
    }

    /** {@return bytes of DDP payload of the whole message, 0 to 2^32 - 1} */
    public long messageLength() {
        return messageLength;
    }

    /** {@return the number of this segment, 0 to 65,535} */
    public int segmentIndex() {
        return segmentIndex;
    }

    /** {@return bytes of payload of every segment but the last, 0 to 65,535} */
    public int segmentSize() {
        return segmentSize;
    }

    /** {@return R: the datagram is a reply} */
    public boolean reply() {
        return reply;
    }

    /** {@return D: the datagram belongs to a reliable channel, which delivers in order and once} */
    public boolean reliable() {
        return reliable;
    }

    /** {@return G: the datagram is sent to a group} */
    public boolean group() {
        return group;
    }

    /** {@return P: padding follows the payload of this last segment} */
    public boolean padded() {
        return padded;
    }
}
