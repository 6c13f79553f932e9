package dev.jwarp.rdmap.datagram;

/**
 * Cuts a long range into Reads and says when the next may be posted: what is on its way fits half of the socket's receive
 * buffer, so that the reader sets the pace and its kernel drops nothing (datagram-iWARP §8). One thread at a time; allocates
 * nothing.
 */
public final class ReadWindow {
    /** Octets of each Read but the last: 64 KiB. */
    public static final int PIECE = 64 << 10;

    private final long length;
    private final long window;
    private long asked;
    private long outstanding;

    /**
     * Creates a window over a range of which nothing has been asked for.
     *
     * @param length octets of the range
     * @param receiveBuffer octets that the system granted the socket
     */
    public ReadWindow(long length, int receiveBuffer) {
        this.length = length;
        window = receiveBuffer / 2;
    }

    /** {@return octets to read next, from {@link #offset} on; 0 if none now: all is asked for, or enough is on its way} */
    public int next() {
        int piece = (int) Math.min(PIECE, length - asked);
        // One is always allowed: a small buffer makes it slow, not stuck.
        return outstanding == 0 || outstanding + piece <= window ? piece : 0;
    }

    /** {@return where the next Read begins in the range} */
    public long offset() {
        return asked;
    }

    /** The Read that {@link #next} spoke of is posted. */
    public void posted() {
        int piece = next();
        asked += piece;
        outstanding += piece;
    }

    /** A Read of so many octets has ended, well or not. */
    public void ended(int octets) {
        outstanding -= octets;
    }

    /** {@return whether everything has been asked for, and every Read has ended} */
    public boolean done() {
        return asked == length && outstanding == 0;
    }
}
