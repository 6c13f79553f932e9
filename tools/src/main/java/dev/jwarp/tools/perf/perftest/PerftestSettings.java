package dev.jwarp.tools.perf.perftest;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * What to run. Sizes, messages and the depth of the receives are not exchanged: they must be the same at both ends.
 *
 * @param program of perftest
 * @param sizes bytes of a message, one after the other
 * @param messages of each size
 * @param sendDepth messages on the way at a time
 * @param receiveDepth receives that ib_send_bw and ib_send_lat have posted
 * @param signalEvery how many messages share a completion, where many are on the way
 * @param outstandingReads RDMA Reads on the way at a time; -1 as many as device and peer allow
 * @param answerLimit how long to wait for the peer
 * @param idleLimit how long a server waits for a client
 * @param interval between two signs of life, zero for none
 */
public record PerftestSettings(
        PerftestProgram program,
        List<Integer> sizes,
        long messages,
        int sendDepth,
        int receiveDepth,
        int signalEvery,
        int outstandingReads,
        Duration answerLimit,
        Duration idleLimit,
        Duration interval) {

    /** Fits the depths to the number of messages, as perftest does. */
    public PerftestSettings {
        sizes = List.copyOf(sizes);
        sendDepth = (int) Math.min(sendDepth, messages);
        receiveDepth = (int) Math.min(receiveDepth, messages);
        signalEvery = Math.min(signalEvery, sendDepth);
    }

    int largest() {
        return Collections.max(sizes);
    }
}
