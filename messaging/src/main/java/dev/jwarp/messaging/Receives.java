package dev.jwarp.messaging;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;

/** The receives of all peers of one type of queue pair. Used under the lock of the endpoint. */
final class Receives {
    final SharedReceiveQueue queue;
    final QueuePairType type;
    private final Slots slots;
    private final int size;
    private final long id;
    private final ReceiveWorkRequest request = new ReceiveWorkRequest();

    /** @param position in the endpoint's list */
    Receives(MessageEndpoint endpoint, QueuePairType type, int position) {
        this.type = type;
        int count = endpoint.options.receives();
        size = Frame.HEADER + endpoint.options.maxShort();
        id = MessageEndpoint.receive(position);
        queue = endpoint.domain.createSharedReceiveQueue(count, 1);
        slots = new Slots(endpoint.domain, count, size, slot -> new Message(endpoint, slot, slot.slice(size)));
        slots.receives = this;
        for (int i = 0; i < count; i++) {
            post(slots.get(i));
        }
    }

    Slot slot(int index) {
        return slots.get(index);
    }

    void post(Slot slot) {
        queue.postReceive(request.clearElements().id(id | slot.index).add(slots.region, slot.at, size));
    }

    /** Not under the lock. */
    void close() {
        queue.close();
        slots.region.close();
    }
}
