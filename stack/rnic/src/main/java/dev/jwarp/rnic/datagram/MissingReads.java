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

/** Cuts what is missing of a message into RDMA Reads (datagram-iWARP §8: reread missing). Stateless. */
final class MissingReads {
    /** What a peer serves of which nothing else is known. */
    private static final long USUAL_LONGEST = 1 << 20;

    /** Bytes of a packet on most paths. */
    private static final int USUAL_MTU = 1500;

    private MissingReads() {}

    /** {@return how far holes are apart that are worth two Reads, on a path of that MTU; 0 if that is not known} */
    static int apart(int pathMtu) {
        return pathMtu == 0 ? USUAL_MTU : pathMtu;
    }

    /**
     * {@return where a read ends that begins with the hole at {@code from}: behind the last hole that is no more than {@code
     * gap} octets from the one before it, {@code most} at the latest}
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

    /** {@return the Read that {@code completion} tells of, as it was posted} */
    static SendWorkRequest whole(WorkCompletion completion) {
        AddressHandle destination = completion.destination();
        if (completion.opcode() != WorkCompletionOpcode.RDMA_READ || destination == null) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Only what an RDMA Read over datagrams did not bring can be read again, but this is " + completion
                            + ". For Write-Records use readHoles.");
        }
        if (completion.validity() == null || completion.localKey() == 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "It is not known what is missing of " + completion
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
     * Posts Reads for the holes of a message. Those with less than a datagram between them are read together, and more of
     * them if there are more holes than free places in the send queue.
     *
     * @return how many were posted
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
                        "The send queue is full: " + posted
                                + " Reads of what is missing were posted, the rest from byte " + from + " on was not.",
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
