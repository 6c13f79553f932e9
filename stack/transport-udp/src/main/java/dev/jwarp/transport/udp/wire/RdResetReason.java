package dev.jwarp.transport.udp.wire;

import org.jspecify.annotations.Nullable;

/** The reasons of an RD-RESET; numbers of the code table (datagram-iWARP §18). */
public enum RdResetReason {
    /** No channel has this tag. */
    NO_CHANNEL(1, "no channel has this tag"),
    /** A violation by the peer, named in the Terminate Control. */
    REMOTE_ERROR(2, "a violation was found in a datagram of the channel"),
    /** The owner of the channel closed it. */
    CLOSED(3, "the owner of the channel closed it"),
    /** No room for a further channel, or no channel with this peer until it is reset. */
    BUSY(4, "no further channel can be opened now");

    private static final RdResetReason[] ALL = values();

    private final int number;
    private final String sentence;

    RdResetReason(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the reason with this number, or null} */
    public static @Nullable RdResetReason of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }

    /** {@return the number on the wire, 0 to 255} */
    public int number() {
        return number;
    }

    /** {@return the description, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
