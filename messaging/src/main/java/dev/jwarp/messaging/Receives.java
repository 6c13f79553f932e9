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
    /** One half of the receives is for connections, the other one for replies. */
    private final int half;

    private int forConnections;
    private int forReplies;

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
        half = options.halfOfReceives();
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
        return Frame.HEADER + Frame.MOST_BUFFERS * Frame.RETURN + Math.max(options.maxShort(), Frame.LONGEST_NOTICE);
    }

    /** {@return whether so many receives could be reserved for a connection} */
    boolean reserve(int count) {
        if (forConnections + count > half) {
            return false;
        }
        forConnections += count;
        return true;
    }

    void unreserve(int count) {
        forConnections -= count;
    }

    /** {@return whether there is a receive for the reply to another call} A peer has at most a quarter of them. */
    boolean roomForReply(int ofPeer) {
        return forReplies < half && ofPeer < mostReplies();
    }

    int mostReplies() {
        return Math.max(1, half / 4);
    }

    void reserveReply() {
        forReplies++;
    }

    void unreserveReplies(int count) {
        forReplies -= count;
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
