package dev.jwarp.transport.udp.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The queue pairs of a port by number: open addressing, so that a look-up does not box. Owner only. */
final class QueuePairTable {
    private static final int FACTOR = 0x9e37_79b1;

    private final List<Attachment> all = new ArrayList<>();
    private @Nullable Attachment[] slots = new Attachment[16];

    int size() {
        return all.size();
    }

    Attachment get(int index) {
        return all.get(index);
    }

    @Nullable
    Attachment find(int number) {
        int mask = slots.length - 1;
        for (int i = ((number * FACTOR) >>> 8) & mask; ; i = (i + 1) & mask) {
            Attachment found = slots[i];
            if (found == null || found.queuePairNumber() == number) {
                return found;
            }
        }
    }

    void add(Attachment attachment) {
        all.add(attachment);
        if (2 * all.size() > slots.length) {
            rebuild(2 * slots.length);
        } else {
            insert(attachment);
        }
    }

    void remove(Attachment attachment) {
        all.remove(attachment);
        rebuild(slots.length);
    }

    private void rebuild(int length) {
        slots = new Attachment[length];
        all.forEach(this::insert);
    }

    private void insert(Attachment attachment) {
        int mask = slots.length - 1;
        int i = ((attachment.queuePairNumber() * FACTOR) >>> 8) & mask;
        while (slots[i] != null) {
            i = (i + 1) & mask;
        }
        slots[i] = attachment;
    }
}
