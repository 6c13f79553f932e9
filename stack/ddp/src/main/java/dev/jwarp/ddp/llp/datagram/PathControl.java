package dev.jwarp.ddp.llp.datagram;

/**
 * What the congestion control of a path has come to (datagram-iWARP §11.4, §6.2), for those who look at a running process. Written by
 * the port's owner; another thread sees recent values, which need not be of the same moment.
 */
public interface PathControl {
    /** {@return bytes that may be under way; 0 while nothing limits them} */
    long congestionWindow();

    /** {@return bytes a second at which datagrams may leave; 0 while nothing limits them} */
    long congestionRate();

    /** {@return the smoothed round trip, nanoseconds; 0 while none is known} */
    long smoothedRoundTrip();
}
