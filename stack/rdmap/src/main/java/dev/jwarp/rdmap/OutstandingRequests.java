package dev.jwarp.rdmap;

import dev.jwarp.ddp.UntaggedBufferSource;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * Our Reads and Atomics that the peer has not answered yet, in the order of their requests, which is the order of the
 * responses (RFC 5040 §5.5 (20), RFC 7306 §7); at most the outbound read depth (ORD, RFC 5040 §6.1). Owner thread only;
 * allocates only for the first Atomic, and to grow beyond the largest number of requests outstanding at a time.
 */
final class OutstandingRequests implements UntaggedBufferSource<HeaderBuffer> {
    /** One request. */
    static final class Entry {
        /** The operation; null for a ready-to-receive Read, which belongs to no operation. */
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

        /** {@return bytes not yet received} */
        long left() {
            return size - received;
        }

        /** Sets the status that the operation completes with. */
        void blame(OperationStatus status) {
            SendOperation op = operation;
            if (op != null) {
                op.status = status;
            }
        }
    }

    /** Allocated by the first Atomic, because most streams send none. */
    private @Nullable HeaderBuffer atomicResponse;

    private final GrowingRing<Entry> entries = new GrowingRing<>(Entry::new);
    private int ord;
    private long added;
    private long removed;
    private int atomics;

    /** Allows {@code depth} requests of operations, plus one ready-to-receive Read. */
    void open(int depth) {
        ord = depth;
    }

    /** {@return the maximum number of outstanding Reads and Atomics} */
    int depth() {
        return ord;
    }

    boolean isEmpty() {
        return added == removed;
    }

    /** {@return whether the next request has to wait for a response} */
    boolean isFull() {
        // RFC 5040 §6.1, RDMAP-6.1-2: never more outstanding than negotiated; a ready-to-receive Read counts too.
        return added - removed >= ord;
    }

    /** Records a Read Request that is being sent. */
    void addRead(@Nullable SendOperation operation, int sinkSTag, long sinkOffset, long size) {
        Entry entry = add(operation);
        entry.atomic = false;
        entry.sinkSTag = sinkSTag;
        entry.sinkOffset = sinkOffset;
        entry.size = size;
        entry.received = 0;
    }

    /** Records an Atomic Request that is being sent. */
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

    /** {@return the request that is answered next, or null if none is outstanding} */
    @Nullable
    Entry oldest() {
        return isEmpty() ? null : entries.at(removed);
    }

    /** Removes the oldest request, which is answered or abandoned. */
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
     * {@return a buffer for an Atomic Response, or null if no Atomic is outstanding (RFC 7306 §5.2.2 (5), EXT-5.2.2-4)}
     */
    @Override
    public @Nullable HeaderBuffer take() {
        // The queue is ordered and delivers each complete response at once, so one buffer serves all.
        return atomics > 0 ? atomicResponse : null;
    }
}
