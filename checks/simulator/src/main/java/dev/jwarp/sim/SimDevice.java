package dev.jwarp.sim;

/**
 * The sending device of a port of {@link SimDatagrams}.
 *
 * @param nanosPerOctet time per byte; 0 for none
 * @param sendBuffer size of the send buffer in bytes; a datagram without room must be sent again later
 * @param segments whether a whole batch is accepted at a time (UDP_SEGMENT)
 */
public record SimDevice(double nanosPerOctet, int sendBuffer, boolean segments) {
    /** Accepts everything at once. */
    public static final SimDevice ENDLESS = new SimDevice(0, Integer.MAX_VALUE, true);

    /** Checks the ranges. */
    public SimDevice {
        if (!(nanosPerOctet >= 0) || sendBuffer < 1) {
            throw new IllegalArgumentException("Not a device: " + nanosPerOctet + " ns a byte, room for " + sendBuffer);
        }
    }
}
