package dev.jwarp.tools.rping;

import java.time.Duration;

/**
 * How to ping.
 *
 * @param verbose whether the data are shown
 * @param validate whether the data are compared
 * @param count how many rounds, 0 without end
 * @param size bytes of a ping
 * @param interval between the starts of two rounds, zero for none
 * @param answerLimit how long to wait for the peer in a round
 * @param idleLimit how long a server waits for the next round
 */
record PingSettings(
        boolean verbose,
        boolean validate,
        int count,
        int size,
        Duration interval,
        Duration answerLimit,
        Duration idleLimit) {}
