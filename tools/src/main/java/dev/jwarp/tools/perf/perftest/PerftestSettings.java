package dev.jwarp.tools.perf.perftest;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * The settings of a program of perftest. Sizes, messages and the depth of the receives are not exchanged: they must be
 * the same at both ends.
 *
 * @param program of perftest
 * @param sizes bytes of a message, one after the other
 * @param messages of each size
 * @param sendDepth most messages in flight
 * @param receiveDepth receives that ib_send_bw and ib_send_lat have posted
 * @param signalEvery messages per completion in bandwidth tests
 * @param outstandingReads most RDMA Reads in flight; -1 for as many as device and peer allow
 * @param answerLimit how long to wait for the peer
 * @param idleLimit how long a server waits for a client
 * @param interval between two lines of progress; zero for none
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

    /** Limits the depths to the number of messages, as perftest does. */
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
