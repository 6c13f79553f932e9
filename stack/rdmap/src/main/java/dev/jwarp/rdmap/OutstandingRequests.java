package dev.jwarp.rdmap;

import dev.jwarp.ddp.UntaggedBufferSource;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * Our own Reads and Atomics that the peer has not answered yet, in the order of their requests, which is the order of their
 * answers (RFC 5040 §5.5 (20), RFC 7306 §7). At most as many as the outbound read depth (RFC 5040 §6.1). Owner thread
 * only; allocates only for the first Atomic, and when more requests than ever before are outstanding.
 */
final class OutstandingRequests implements UntaggedBufferSource<HeaderBuffer> {
    /** One request. */
    static final class Entry {
        /** What asked for it; null for a ready-to-receive Read, which is the stream's own. */
        @Nullable
        SendOperation operation;

        boolean atomic;
        int identifier;
        int sinkSTag;
        long sinkOffset;
        long size;
        long received;

        private Entry() {}

        /** {@return the tagged offset where the next bytes of the Read Response belong} */
        long nextOffset() {
            return sinkOffset + received;
        }

        /** {@return bytes still to come} */
        long left() {
            return size - received;
        }

        /** Notes what its operation will complete with. */
        void blame(OperationStatus status) {
            SendOperation op = operation;
            if (op != null) {
                op.status = status;
            }
        }
    }

    /** Made for the first Atomic: most streams send none. */
    private @Nullable HeaderBuffer atomicResponse;

    private final GrowingRing<Entry> entries = new GrowingRing<>(Entry::new);
    private int ord;
    private long added;
    private long removed;
    private int atomics;

    /** Allows {@code depth} requests of operations, and one more that is a ready-to-receive Read. */
    void open(int depth) {
        ord = depth;
    }

    /** {@return how many Reads and Atomics may be outstanding} */
    int depth() {
        return ord;
    }

    boolean isEmpty() {
        return added == removed;
    }

    /** {@return whether another request has to wait for an answer} */
    boolean isFull() {
        // RFC 5040 §6.1, RDMAP-6.1-2: never more outstanding than negotiated; a ready-to-receive Read counts too.
        return added - removed >= ord;
    }

    /** Notes a Read Request that is being sent. */
    void addRead(@Nullable SendOperation operation, int sinkSTag, long sinkOffset, long size) {
        Entry entry = add(operation);
        entry.atomic = false;
        entry.sinkSTag = sinkSTag;
        entry.sinkOffset = sinkOffset;
        entry.size = size;
        entry.received = 0;
    }

    /** Notes an Atomic Request that is being sent. */
    void addAtomic(SendOperation operation, int identifier) {
        if (atomicResponse == null) {
            atomicResponse = new HeaderBuffer(AtomicResponseHeader.LENGTH);
        }
        Entry entry = add(operation);
        entry.atomic = true;
        entry.identifier = identifier;
        atomics++;
    }

    private Entry add(@Nullable SendOperation operation) {
        if (added - removed > ord) {
            throw new IllegalStateException("more requests than the outbound read depth of " + ord);
        }
        Entry entry = entries.begin(removed, added++);
        entry.operation = operation;
        return entry;
    }

    /** {@return the one that is answered next, or null if none is outstanding} */
    @Nullable
    Entry oldest() {
        return isEmpty() ? null : entries.at(removed);
    }

    /** The oldest one is answered, or given up. */
    void removeOldest() {
        Entry entry = entries.at(removed++);
        if (entry.atomic) {
            atomics--;
        }
        entry.atomic = false;
        entry.operation = null;
    }

    void clear() {
        while (!isEmpty()) {
            removeOldest();
        }
    }

    /**
     * {@return a buffer for an Atomic Response, one for each Atomic outstanding (RFC 7306 §5.2.2 (5), EXT-5.2.2-4),
     * else null}
     */
    @Override
    public @Nullable HeaderBuffer take() {
        // The queue is ordered and delivers a response as soon as it is whole: one buffer serves one after the other.
        return atomics > 0 ? atomicResponse : null;
    }
}
