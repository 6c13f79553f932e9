package dev.jwarp.transport.udp.engine;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The send queue for plain UDP datagrams, first in, first out. Bounded: a full queue rejects datagrams. Any thread
 * adds, the owner sends; memory is allocated at the first use.
 */
final class PlainQueue {
    /** The largest UDP payload over IPv6, bytes. */
    static final int LARGEST = 65_527;

    private static final int OCTETS = 4 * LARGEST;
    private static final int ENTRIES = 256;

    private @Nullable ByteBuffer memory;
    /** The same memory for adding threads: position and limit of {@code memory} are the driver's. */
    private @Nullable ByteBuffer adding;

    private final int[] offsets = new int[ENTRIES];
    private final int[] lengths = new int[ENTRIES];
    private final DatagramAddress[] destinations = new DatagramAddress[ENTRIES];
    private int head;
    /** Written under the lock. */
    private volatile int size;

    /** The offset behind the datagram added last. */
    private int end;

    /**
     * {@return whether there was room for the datagram} If so, the position of {@code octets} advances to its limit.
     */
    synchronized boolean add(ByteBuffer octets, DatagramAddress to) {
        int length = octets.remaining();
        int at = place(length);
        if (at < 0) {
            return false;
        }
        ByteBuffer into = adding;
        if (into == null) {
            memory = ByteBuffer.allocateDirect(OCTETS);
            into = memory.duplicate();
            adding = into;
        }
        into.put(at, octets, octets.position(), length);
        octets.position(octets.limit());
        int entry = (head + size) % ENTRIES;
        offsets[entry] = at;
        lengths[entry] = length;
        if (destinations[entry] == null) {
            destinations[entry] = new DatagramAddress();
        }
        destinations[entry].set(to);
        end = at + length;
        size = size + 1;
        return true;
    }

    /** {@return the offset of {@code length} free contiguous bytes; -1 if there are none} */
    private int place(int length) {
        if (size == 0) {
            return 0;
        }
        int first = offsets[head];
        if (size == ENTRIES) {
            return -1;
        }
        if (end > first && end + length <= OCTETS) {
            return end;
        }
        int from = end > first ? 0 : end;
        return from + length <= first ? from : -1;
    }

    /**
     * {@return whether {@code out} is set to the first datagram} The datagram stays in the queue until {@link #done}.
     */
    boolean next(DatagramBatch out) {
        return size > 0 && first(out); // without the lock: the queue is empty unless the program sends plain UDP
    }

    private synchronized boolean first(DatagramBatch out) {
        ByteBuffer from = memory;
        if (from == null) {
            return false;
        }
        out.set(destinations[head], from, offsets[head], lengths[head], lengths[head]);
        out.allowCut(); // as for the datagrams of any program
        return true;
    }

    /** Removes the first datagram, which was sent or cannot be sent. */
    synchronized void done() {
        head = (head + 1) % ENTRIES;
        size = size - 1;
    }
}
