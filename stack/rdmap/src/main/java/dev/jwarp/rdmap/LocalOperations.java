package dev.jwarp.rdmap;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.Segmenter;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ScatterList;

/**
 * The local part of send queue operations: checks whether an operation can be executed, and executes the operations
 * that need no message (invalidating an STag, binding a window). Owner thread only.
 */
final class LocalOperations {
    /** RFC 7306 §5.2.2: bytes of an Atomic's result. */
    private static final int ATOMIC_LENGTH = 8;

    private final STagTable table;
    private final StreamDomain domain;

    LocalOperations(STagTable table, StreamDomain domain) {
        this.table = table;
        this.domain = domain;
    }

    /**
     * {@return SUCCESS, or the status of an operation that cannot begin}
     *
     * @param ord maximum number of outstanding Reads and Atomics
     */
    OperationStatus check(SendOperation op, int ord) {
        ScatterList memory = op.memory();
        if (!memory.valid()) {
            return OperationStatus.LOC_PROT_ERR;
        }
        // RFC 5041 §5.2, DDP-5.2-5: a message is shorter than 2^32 bytes.
        if (memory.length() >= Segmenter.MESSAGE_LIMIT) {
            return OperationStatus.LOC_LEN_ERR;
        }
        if (!op.kind().awaitsResponse()) {
            return OperationStatus.SUCCESS;
        }
        // RFC 5040 §6.1: with a depth of 0 the operation would wait for ever. The response needs one tagged range: one
        // registered piece.
        if (ord == 0 || memory.size() > 1 || (memory.size() == 1 && memory.buffer(0) == null)) {
            return OperationStatus.LOC_QP_OP_ERR;
        }
        boolean atomic = op.kind() == SendOperation.Kind.ATOMIC_FETCH_AND_ADD
                || op.kind() == SendOperation.Kind.ATOMIC_COMPARE_AND_SWAP;
        return atomic && memory.length() != ATOMIC_LENGTH ? OperationStatus.LOC_LEN_ERR : OperationStatus.SUCCESS;
    }

    /**
     * Executes an operation that sends nothing.
     *
     * @return SUCCESS, or the status of the failure
     */
    OperationStatus perform(SendOperation op) {
        if (op.kind() == SendOperation.Kind.LOCAL_INVALIDATE) {
            TaggedBuffer buffer = table.find(op.invalidateSTag());
            if (buffer == null || !buffer.valid() || buffer.domain() != domain.id()) {
                return OperationStatus.LOC_QP_OP_ERR;
            }
            table.invalidate(buffer);
            return OperationStatus.SUCCESS;
        }
        TaggedBuffer old = op.replacedWindow();
        if (old != null) {
            table.deregister(old);
        }
        TaggedBuffer window = op.window();
        return window == null || table.bind(window) ? OperationStatus.SUCCESS : OperationStatus.MW_BIND_ERR;
    }

    /** Finishes a Read or Atomic after its response: invalidates the sink if the operation asks for it. */
    void afterResponse(SendOperation op) {
        if (op.kind() == SendOperation.Kind.RDMA_READ_WITH_LOCAL_INVALIDATE
                && op.memory().size() > 0) {
            TaggedBuffer sink = op.memory().buffer(0);
            if (sink != null) {
                table.invalidate(sink);
            }
        }
    }
}
