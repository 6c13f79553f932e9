package dev.jwarp.messaging;

import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import java.util.function.Function;

/** The receives of all peers of one type of queue pair. Used under the lock of the endpoint. */
final class Receives {
    final SharedReceiveQueue queue;
    final QueuePairType type;
    private final Slots slots;
    private final int size;
    private final long id;
    private final ReceiveWorkRequest request = new ReceiveWorkRequest();

    /**
     * @param id what the ids of the work requests have in common
     * @param attachment makes what is kept for a slot
     */
    Receives(
            ProtectionDomain domain,
            EndpointOptions options,
            QueuePairType type,
            long id,
            Function<Slot, Object> attachment) {
        this.type = type;
        this.id = id;
        size = size(options);
        queue = domain.createSharedReceiveQueue(options.receives(), 1);
        slots = new Slots(domain, options.receives(), size);
        for (int i = 0; i < options.receives(); i++) {
            Slot slot = slots.get(i);
            slot.attachment = attachment.apply(slot);
            post(slot);
        }
    }

    /** {@return the longest frame} */
    static int size(EndpointOptions options) {
        return Frame.HEADER + Math.max(options.maxShort(), Frame.LONGEST_NOTICE);
    }

    Slot slot(int index) {
        return slots.get(index);
    }

    void post(Slot slot) {
        queue.postReceive(request.clearElements().id(id | slot.index).add(slots.region, slot.at, size));
    }

    boolean has(Slot slot) {
        return slot.of == slots;
    }

    /** Not under the lock. */
    void close() {
        queue.close();
        slots.region.close();
    }
}
