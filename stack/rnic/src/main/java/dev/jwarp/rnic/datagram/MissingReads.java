package dev.jwarp.rnic.datagram;

import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkRequestOpcode;

/** Turns the missing ranges of a message into RDMA Reads (datagram-iWARP §8: reread missing). Stateless. */
final class MissingReads {
    /** Assumed length of the longest RDMA Read that a peer serves. */
    private static final long USUAL_LONGEST = 1 << 20;

    /** Common path MTU, in bytes. */
    private static final int USUAL_MTU = 1500;

    private MissingReads() {}

    /**
     * {@return the largest distance in bytes between two holes that share a read}
     *
     * @param pathMtu of the path; 0 if unknown
     */
    static int apart(int pathMtu) {
        return pathMtu == 0 ? USUAL_MTU : pathMtu;
    }

    /**
     * {@return the end of a read that begins with the hole at {@code from}} The read includes further holes that are at
     * most {@code gap} bytes apart, and ends at {@code most} at the latest.
     */
    static long endOfHoles(ValidityMap validity, long from, long most, long gap) {
        long end = validity.nextValid(from);
        while (end < most) {
            long next = validity.nextMissing(end);
            if (next >= most || next - end > gap) {
                return end;
            }
            end = validity.nextValid(next);
        }
        return most;
    }

    /** {@return a copy of the RDMA Read that {@code completion} reports} */
    static SendWorkRequest whole(WorkCompletion completion) {
        AddressHandle destination = completion.destination();
        if (completion.opcode() != WorkCompletionOpcode.RDMA_READ || destination == null) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Only missing bytes of an RDMA Read over datagrams can be read again, but this is " + completion
                            + ". For Write-Records use readHoles.");
        }
        if (completion.validity() == null || completion.localKey() == 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "There is no validity map of " + completion
                            + ": it was released, did not end by a time-out, or had several elements.");
        }
        return new SendWorkRequest()
                .id(completion.id())
                .rdmaRead(completion.remoteAddress(), completion.remoteKey())
                .add(completion.localAddress(), (int) completion.messageLength(), completion.localKey())
                .destination(destination);
    }

    /** Checks that a request is an RDMA Read of one element. */
    static void check(SendWorkRequest whole) {
        if (whole.opcode() != WorkRequestOpcode.RDMA_READ || whole.elementCount() != 1 || whole.inline()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(whole) + " has to be an RDMA Read with one scatter/gather element.");
        }
    }

    /**
     * Posts reads for the holes of a message. Holes at most a datagram apart share a read. If there are more holes
     * than free slots of the send queue, holes with larger distances share a read, too.
     *
     * @return the number of reads posted
     */
    static int post(ValidityMap validity, SendWorkRequest whole, RnicDatagramQueuePair queuePair) {
        check(whole);
        if (validity.length() != whole.length(0)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The validity map is of " + validity.length() + " bytes, but " + RequestMemory.name(whole)
                            + " reads " + whole.length(0) + ".");
        }
        int places = queuePair.attributes().maxSendWorkRequests()
                - queuePair.sends().operations().size();
        long most = queuePair.datagramAttributes().maxRead();
        long longest = most == 0 ? USUAL_LONGEST : most;
        long joined = apart(queuePair.datagramAttributes().pathMtu());
        while (count(validity, joined, longest) > Math.max(1, places) && joined < validity.length()) {
            joined *= 2;
        }
        int posted = 0;
        SendWorkRequest part = new SendWorkRequest();
        long length = validity.length();
        for (long from = validity.nextMissing(0); from < length; ) {
            long to = endOfHoles(validity, from, Math.min(length, from + longest), joined);
            part.clear()
                    .id(whole.id())
                    .signaled(whole.signaled())
                    .rdmaRead(whole.remoteAddress() + from, whole.rkey())
                    .add(whole.address(0) + from, (int) (to - from), whole.lkey(0))
                    .timeout(whole.timeout());
            AddressHandle destination = whole.destination();
            if (destination != null) {
                part.destination(destination);
            }
            if (!queuePair.tryPostSend(part)) {
                throw new RdmaException(
                        RdmaErrorCode.QUEUE_FULL,
                        "The send queue is full: " + posted + " Reads of missing bytes were posted, the rest from byte "
                                + from + " on was not.",
                        null,
                        posted,
                        null);
            }
            posted++;
            from = validity.nextMissing(to);
        }
        return posted;
    }

    private static long count(ValidityMap validity, long gap, long longest) {
        long count = 0;
        long length = validity.length();
        for (long from = validity.nextMissing(0); from < length; count++) {
            from = validity.nextMissing(endOfHoles(validity, from, Math.min(length, from + longest), gap));
        }
        return count;
    }
}
