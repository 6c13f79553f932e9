package dev.jwarp.rnic;

import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import org.jspecify.annotations.Nullable;

/** An entry of a completion queue: preallocated, filled by the producer, copied out by the consumer. */
final class Completion {
    private long workRequestId;
    private WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
    private WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
    private int octets;
    private int queuePairNumber;
    private @Nullable String diagnosis;
    private boolean immediate;
    private long immediateData;
    private boolean invalidated;
    private int invalidatedKey;

    void fill(long id, WorkCompletionStatus outcome, WorkCompletionOpcode operation, int length, int number) {
        workRequestId = id;
        status = outcome;
        opcode = operation;
        octets = length;
        queuePairNumber = number;
        diagnosis = null;
        immediate = false;
        invalidated = false;
    }

    void diagnosis(@Nullable String text) {
        diagnosis = text;
    }

    void immediateData(long data) {
        immediate = true;
        immediateData = data;
    }

    void invalidatedKey(int key) {
        invalidated = true;
        invalidatedKey = key;
    }

    void copyTo(WorkCompletion completion) {
        completion.fill(workRequestId, status, opcode, octets, queuePairNumber, diagnosis);
        if (immediate) {
            completion.fillImmediateData(immediateData);
        }
        if (invalidated) {
            completion.fillInvalidatedKey(invalidatedKey);
        }
    }
}
