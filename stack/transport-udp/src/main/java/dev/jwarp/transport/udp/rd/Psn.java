package dev.jwarp.transport.udp.rd;

/**
 * Packet sequence numbers: 32 bits that begin anywhere and go round (§11, DG-11.2-7). Which of two comes first is
 * defined while they are less than 2^31 apart; windows are at most 1,024.
 */
final class Psn {
    private Psn() {}

    /** {@return how many steps forward lead from one to the other; negative if {@code to} comes first} */
    static int distance(int from, int to) {
        return to - from;
    }

    /** {@return whether {@code a} comes before {@code b}} */
    static boolean before(int a, int b) {
        return a - b < 0;
    }
}
