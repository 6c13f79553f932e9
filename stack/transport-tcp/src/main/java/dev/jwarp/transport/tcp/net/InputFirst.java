package dev.jwarp.transport.tcp.net;

/**
 * Whether a timer of a connection that is due has to wait for input. A process that got no time for a while finds timers due whose
 * answers lie in the socket: that says nothing about the peer, so what the socket holds is handled first. It holds so much and no more,
 * so a peer that sends without end does not keep a timer from firing. Owner only.
 */
public final class InputFirst {
    private long bytes;
    private boolean drained = true;

    /** The time of the timer that waits. */
    private long waiting = Long.MAX_VALUE;

    /** How much has been read when all that came before that is among it. */
    private long enough;

    /** Nothing was read yet. */
    public InputFirst() {}

    /** Counts what was read. {@code all} if there was no more. */
    public void read(int count, boolean all) {
        bytes += count;
        drained = all;
    }

    /** From here on it counts what is read: without a read there was nothing. */
    public void begin() {
        drained = true;
    }

    /** {@return whether all that there was has been read, as far as is known} */
    public boolean isDrained() {
        return drained;
    }

    /**
     * {@return whether a timer that is due since {@code timeout} has to wait for another turn of reads} Asked where the socket is not
     * drained.
     *
     * @param buffer bytes that the socket holds at most
     */
    public boolean waits(long timeout, long buffer) {
        if (waiting != timeout) {
            waiting = timeout;
            enough = bytes + buffer;
        }
        return bytes < enough;
    }
}
