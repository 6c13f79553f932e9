package dev.jwarp.transport.udp.wire;

import org.jspecify.annotations.Nullable;

/** The Kinds of datagrams: the low half of octet 0 of the shim (datagram-iWARP §4.4). */
public enum Kind {
    /** One DDP segment, unreliable or through a reliable channel. */
    DATA(0, false, 0),
    /** Reports a violation in a datagram of DATA of UD. */
    NOTIFY(1, true, NotifyBody.LENGTH),
    /** Requests a proof of the source address: the question is to be repeated with this cookie. */
    CHALLENGE(2, true, CookieBody.LENGTH),
    /** Asks a port's resolver for a queue pair by service id. */
    RESOLVE(3, false, ResolveBody.LENGTH),
    /** The resolver's answer. */
    RESOLVED(4, true, ResolvedBody.LENGTH),
    /** Opens a reliable channel. */
    RD_OPEN(5, false, RdOpenBody.LENGTH),
    /** Accepts a reliable channel. */
    RD_ACCEPT(6, true, RdOpenBody.LENGTH),
    /** Acknowledges datagrams of a reliable channel. */
    RD_ACK(7, true, RdAckBody.LENGTH),
    /** Reports that a reliable channel does not exist, or ends it. */
    RD_RESET(8, true, RdResetBody.LENGTH),
    /** Tests whether a datagram of this length comes through, and asks how much DATA has arrived. */
    PATH_PROBE(11, false, PathProbeBody.LEAST_LENGTH),
    /** Answers a PATH-PROBE. */
    PATH_REPLY(12, true, PathReplyBody.LENGTH),
    /**
     * Lists the versions of this end in the field of the Message Length; the only Kind of version 0, and the same in all
     * versions (§4.7, DG-4.7-1). It has a shim and a CRC.
     */
    VERSION_LIST(15, true, 0);

    private static final @Nullable Kind[] BY_CODE = new Kind[16];

    static {
        for (Kind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
        BY_CODE[VERSION_LIST.code] = null; // datagram-iWARP §4.7: a Kind of version 0, not of version 1
    }

    private final int code;
    private final boolean reply;
    private final int leastBody;

    Kind(int code, boolean reply, int leastBody) {
        this.code = code;
        this.reply = reply;
        this.leastBody = leastBody;
    }

    /** {@return the Kind of version 1 with this number, 0 to 15, or null if it is reserved} */
    public static @Nullable Kind of(int code) {
        return BY_CODE[code];
    }

    /** {@return the number on the wire, 0 to 15} */
    public int code() {
        return code;
    }

    /** {@return octet 0 of the shim: version in the high half, Kind in the low one} */
    public int octet() {
        return (this == VERSION_LIST ? 0 : ShimHeader.VERSION << 4) | code;
    }

    /** {@return whether every datagram of this Kind is a reply (flag R); in DATA only Read Responses are} */
    public boolean reply() {
        return reply;
    }

    /** {@return the least octets of a body: those needed to know its length} */
    int leastBody() {
        return leastBody;
    }
}
