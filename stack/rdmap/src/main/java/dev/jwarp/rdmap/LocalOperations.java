package dev.jwarp.rdmap;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.Segmenter;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ScatterList;

/**
 * What operations of the send queue do on this side: whether they can be carried out at all, and the ones that need no
 * message (invalidating an STag, binding a window). Owner thread only.
 */
final class LocalOperations {
    /** RFC 7306 §5.2.2: what an Atomic brings back. */
    private static final int ATOMIC_LENGTH = 8;

    private final STagTable table;
    private final StreamDomain domain;

    LocalOperations(STagTable table, StreamDomain domain) {
        this.table = table;
        this.domain = domain;
    }

    /**
     * {@return SUCCESS, or why the operation cannot begin}
     *
     * @param ord Reads and Atomics that may be outstanding
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
        // RFC 5040 §6.1: with a depth of 0 it would wait without end. The
        // answer is one tagged range: one piece, registered.
        if (ord == 0 || memory.size() > 1 || (memory.size() == 1 && memory.buffer(0) == null)) {
            return OperationStatus.LOC_QP_OP_ERR;
        }
        boolean atomic = op.kind() == SendOperation.Kind.ATOMIC_FETCH_AND_ADD
                || op.kind() == SendOperation.Kind.ATOMIC_COMPARE_AND_SWAP;
        return atomic && memory.length() != ATOMIC_LENGTH ? OperationStatus.LOC_LEN_ERR : OperationStatus.SUCCESS;
    }

    /**
     * Carries out an operation that sends nothing.
     *
     * @return SUCCESS, or why it failed
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

    /** A Read or Atomic is answered: does what is left to do. */
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
