package dev.jwarp.transport.tcp.net;

/**
 * Whether a due timer of a connection waits for input. After a pause of the process, timers are due although the
 * answers are in the socket, so the content of the socket is handled first. A socket holds a limited number of bytes,
 * so a peer that sends without end does not prevent a timer from firing. Owner only.
 */
public final class InputFirst {
    private long bytes;
    private boolean drained = true;

    /** The time of the timer that waits. */
    private long waiting = Long.MAX_VALUE;

    /** The number of bytes read by which everything that arrived before that time has been read. */
    private long enough;

    /** Creates an object before the first read. */
    public InputFirst() {}

    /** Counts the bytes of a read; {@code all} if the socket is drained. */
    public void read(int count, boolean all) {
        bytes += count;
        drained = all;
    }

    /** Begins the reads before a timer. */
    public void begin() {
        drained = true;
    }

    /** {@return whether the socket is drained, as far as is known} */
    public boolean isDrained() {
        return drained;
    }

    /**
     * {@return whether a timer that is due since {@code timeout} waits for another turn of reads} For a socket that is
     * not drained.
     *
     * @param buffer maximum number of bytes in the socket
     */
    public boolean waits(long timeout, long buffer) {
        if (waiting != timeout) {
            waiting = timeout;
            enough = bytes + buffer;
        }
        return bytes < enough;
    }
}
