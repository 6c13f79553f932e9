package dev.jwarp.transport.udp.rd;

/**
 * Packet sequence numbers: 32 bits that begin anywhere and wrap around (§11, DG-11.2-7). The order of two numbers is
 * defined while they are less than 2^31 apart; windows are far smaller.
 */
final class Psn {
    private Psn() {}

    /** {@return the number of steps from {@code from} to {@code to}; negative if {@code to} comes first} */
    static int distance(int from, int to) {
        return to - from;
    }

    /** {@return whether {@code a} comes before {@code b}} */
    static boolean before(int a, int b) {
        return a - b < 0;
    }
}
