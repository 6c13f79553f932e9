package dev.jwarp.llp.datagram;

/**
 * The state of the congestion control of a path (datagram-iWARP §11.4, §6.2), for observers of a running process.
 * Written by the port's owner; other threads see recent values, which may be of different moments.
 */
public interface PathControl {
    /** {@return the congestion window in bytes; 0 while there is no limit} */
    long congestionWindow();

    /** {@return the pace in bytes per second; 0 while there is no limit} */
    long congestionRate();

    /** {@return the smoothed round-trip time in nanoseconds; 0 while unknown} */
    long smoothedRoundTrip();
}
