package dev.jwarp.rdmap.message;

import org.jspecify.annotations.Nullable;

/**
 * The messages of RDMAP: each opcode with its DDP buffer model, its queue and the size of its RDMAP header (RFC 5040
 * §4.1, figure 4; RFC 7306 §4.1).
 */
public enum RdmapOpcode {
    /** RFC 5040 §4.3. */
    RDMA_WRITE(0, true, -1, -1, false),
    /** RFC 5040 §4.4. */
    RDMA_READ_REQUEST(1, false, 1, ReadRequestHeader.LENGTH, false),
    /** RFC 5040 §4.5. */
    RDMA_READ_RESPONSE(2, true, -1, -1, false),
    /** RFC 5040 §4.6. */
    SEND(3, false, 0, -1, false),
    /** RFC 5040 §4.7. */
    SEND_WITH_INVALIDATE(4, false, 0, -1, false),
    /** RFC 5040 §4.6. */
    SEND_WITH_SE(5, false, 0, -1, false),
    /** RFC 5040 §4.7. */
    SEND_WITH_SE_AND_INVALIDATE(6, false, 0, -1, false),
    /** RFC 5040 §4.8. */
    TERMINATE(7, false, 2, -1, false),
    /** RFC 7306 §6. */
    // EXT-4.1-1
    IMMEDIATE_DATA(8, false, 0, ImmediateDataHeader.LENGTH, true),
    /** RFC 7306 §6. */
    IMMEDIATE_DATA_WITH_SE(9, false, 0, ImmediateDataHeader.LENGTH, true),
    /** RFC 7306 §5.2.1. */
    ATOMIC_REQUEST(10, false, 1, AtomicRequestHeader.LENGTH, true),
    /** RFC 7306 §5.2.2. */
    ATOMIC_RESPONSE(11, false, 3, AtomicResponseHeader.LENGTH, true);

    /**
     * WRITE_RECORD of datagram-iWARP §4.6, tagged: the value that RFC 6580 reserves for experiments. Not a constant of
     * this enum, so that over TCP it stays an unexpected opcode.
     */
    public static final int WRITE_RECORD = 0xF;

    /** Queue of Sends and Immediate Data; its buffers are posted receives. */
    public static final int SEND_QUEUE = 0;
    /** Queue of Read and Atomic Requests; its buffers are the IRD slots. */
    public static final int REQUEST_QUEUE = 1;
    /** Queue of the one Terminate. */
    public static final int TERMINATE_QUEUE = 2;
    /** Queue of Atomic Responses; its buffers are our outstanding Atomics. */
    public static final int ATOMIC_RESPONSE_QUEUE = 3;

    // RFC 5040 §4.1, RDMAP-4.1-2: RV is the two highest bits, 01b; two
    // reserved bits, sent as zero; the opcode is the four lowest.
    private static final int VERSION_MASK = 0xC0;
    private static final int VERSION = 0x40;
    private static final int OPCODE_MASK = 0x0F;
    private static final @Nullable RdmapOpcode[] BY_CODE = new RdmapOpcode[OPCODE_MASK + 1];

    static {
        for (RdmapOpcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final boolean tagged;
    private final int queueNumber;
    private final int headerLength;
    private final boolean extension;

    RdmapOpcode(int code, boolean tagged, int queueNumber, int headerLength, boolean extension) {
        this.code = code;
        this.tagged = tagged;
        this.queueNumber = queueNumber;
        this.headerLength = headerLength;
        this.extension = extension;
    }

    /** {@return whether the RDMAP version in a received control octet is the one of RFC 5040} */
    public static boolean versionMatches(int controlOctet) {
        return (controlOctet & VERSION_MASK) == VERSION;
    }

    /**
     * {@return the message with the opcode of a received control octet, or null if no RFC assigns it; reserved bits are
     * ignored}
     */
    public static @Nullable RdmapOpcode of(int controlOctet) {
        return BY_CODE[controlOctet & OPCODE_MASK];
    }

    /** {@return the number on the wire, 0 to 15} */
    public int code() {
        return code;
    }

    /** {@return the control octet to send: RV 01b, reserved bits zero, the opcode (RFC 5040 §4.1)} */
    public int controlOctet() {
        return controlOctet(code);
    }

    /** {@return the control octet to send for an opcode that may be {@link #WRITE_RECORD}, as {@link #controlOctet()}} */
    public static int controlOctet(int code) {
        return VERSION | code;
    }

    /** {@return whether the message uses DDP's tagged buffer model} */
    public boolean tagged() {
        return tagged;
    }

    /** {@return the untagged queue of the message, or -1 if the message is tagged} */
    public int queueNumber() {
        return queueNumber;
    }

    /** {@return exact octets behind the DDP header, or -1 if the number varies} */
    public int headerLength() {
        return headerLength;
    }

    /** {@return whether RFC 7306 added the message} */
    public boolean extension() {
        return extension;
    }

    /** {@return whether the message carries an Invalidate STag (RFC 5040 §4.7)} */
    public boolean invalidates() {
        return this == SEND_WITH_INVALIDATE || this == SEND_WITH_SE_AND_INVALIDATE;
    }

    /** {@return whether the message asks for an event at the receiver (RFC 5040 §4.6, RFC 7306 §6)} */
    public boolean solicited() {
        return this == SEND_WITH_SE || this == SEND_WITH_SE_AND_INVALIDATE || this == IMMEDIATE_DATA_WITH_SE;
    }

    /** {@return whether the message is Immediate Data, with or without solicited event} */
    public boolean immediateData() {
        return this == IMMEDIATE_DATA || this == IMMEDIATE_DATA_WITH_SE;
    }
}
