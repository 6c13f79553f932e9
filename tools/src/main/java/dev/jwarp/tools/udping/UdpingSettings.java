package dev.jwarp.tools.udping;

import java.time.Duration;

/**
 * How to ping.
 *
 * @param kind what a ping consists of
 * @param count how many, 0 without end
 * @param size bytes of a ping
 * @param interval between the starts of two, zero for none
 * @param patience how long to wait for an answer
 * @param limit how long to look for the server
 * @param verbose whether to tell of each ping
 * @param quiet whether to leave out the sign of life each second
 */
record UdpingSettings(
        PingKind kind,
        long count,
        int size,
        Duration interval,
        Duration patience,
        Duration limit,
        boolean verbose,
        boolean quiet) {
    /** The most bytes of a ping: what a slot of the server holds. */
    static final int MOST = 64 << 10;

    /** The fewest: what the answer to a Write-Record needs. */
    static final int LEAST = 16;
}
