package dev.jwarp.ddp.llp.sim;

/**
 * How a port of {@link SimDatagrams} sends.
 *
 * @param nanosPerOctet the time that each byte takes; 0 for none
 * @param sendBuffer bytes that may wait; a datagram that finds no room has to be offered again later
 * @param segments whether a whole batch is taken at a time (UDP_SEGMENT)
 */
public record SimDevice(double nanosPerOctet, int sendBuffer, boolean segments) {
    /** Takes everything at once. */
    public static final SimDevice ENDLESS = new SimDevice(0, Integer.MAX_VALUE, true);

    /** Checks the ranges. */
    public SimDevice {
        if (!(nanosPerOctet >= 0) || sendBuffer < 1) {
            throw new IllegalArgumentException("Not a device: " + nanosPerOctet + " ns a byte, room for " + sendBuffer);
        }
    }
}
