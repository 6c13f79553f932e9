package dev.jwarp.transport.udp.wire;

import org.jspecify.annotations.Nullable;

/** The reasons of an RD-RESET; numbers of the code table (datagram-iWARP §18). */
public enum RdResetReason {
    /** No channel has this tag. */
    NO_CHANNEL(1),
    /** A violation by the peer, named in the Terminate Control. */
    REMOTE_ERROR(2),
    /** The owner of the channel closed it. */
    CLOSED(3),
    /** No room for a further channel, or no channel with this peer until it is reset. */
    BUSY(4);

    private static final RdResetReason[] ALL = values();

    private final int number;

    RdResetReason(int number) {
        this.number = number;
    }

    /** {@return the reason with this number, or null} */
    public static @Nullable RdResetReason of(int number) {
        return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
    }

    /** {@return the number on the wire, 0 to 255} */
    public int number() {
        return number;
    }
}
