package dev.jwarp.transport.udp.port;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Crc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Single short datagrams that wait to go out before everything else: answers, and questions to resolvers. Bounded; what
 * finds no room is dropped, as the network might have done. Owner thread only; allocates nothing.
 */
public final class AnswerQueue {
    /** The most octets of one, CRC included. */
    public static final int LARGEST = 288;

    private record Waiting(DatagramAddress to, byte[] octets, UdpCounter what) {}

    /** Answers that wait to be sent. */
    private static final int SLOTS = 64;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(SLOTS * LARGEST);
    private final DatagramAddress[] destinations = new DatagramAddress[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private final Crc crc = new Crc();
    private final Tally<UdpCounter> counters;
    /** Those of a queue pair that has left which found no room. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private int head;
    private int size;

    /** What answers may have in octets, headers of IP and UDP included; and those headers. */
    private long allowance = Long.MAX_VALUE;

    private int headers;

    /** Empty. */
    public AnswerQueue(Tally<UdpCounter> counters) {
        this.counters = counters;
        for (int i = 0; i < destinations.length; i++) {
            destinations[i] = new DatagramAddress();
        }
    }

    /** Any thread: recent values. */
    public void limits(LimitSink sink) {
        sink.limit("port-answers", size, lengths.length);
    }

    /**
     * Until {@link #free}, what is added has to be no longer in all than what was read at once: what looks like many short
     * datagrams that the system has put together may have been a single long one, from an address that is a lie
     * (datagram-iWARP §9, DG-9.5-2). Each answer has headers of its own, and an envelope if there are any.
     */
    public void answersTo(int octets, DatagramAddress source, int envelope) {
        allowance = (long) octets + source.headers();
        headers = source.headers() + envelope;
    }

    /** What is added from now on answers nothing that was read. */
    public void free() {
        allowance = Long.MAX_VALUE;
        headers = 0;
    }

    /** {@return whether there is room for one of that length, CRC included; if not, that is counted} */
    public boolean hasRoom(int octets) {
        if (size == lengths.length) {
            counters.count(UdpCounter.TX_OVERFLOWED);
            return false;
        }
        if (allowance < octets + headers) {
            counters.count(UdpCounter.TX_LIMITED);
            return false;
        }
        return true;
    }

    /** {@return the buffer to write into; absolute puts only} */
    public ByteBuffer memory() {
        return memory;
    }

    /** {@return where one to that address begins; only after {@link #hasRoom(int)} said yes} */
    public int begin(DatagramAddress destination) {
        int slot = (head + size) % lengths.length;
        destinations[slot].set(destination);
        return slot * LARGEST;
    }

    /** Ends the one begun last, puts its CRC behind its {@code length} octets (DG-4.1-1), and counts it. */
    public void end(int length, UdpCounter what) {
        int slot = (head + size++) % lengths.length;
        ended(slot, crc.seal(memory, slot * LARGEST, length), what);
    }

    /** Ends one that is complete with its CRC. */
    public void endSealed(int length, UdpCounter what) {
        ended((head + size++) % lengths.length, length, what);
    }

    private void ended(int slot, int length, UdpCounter what) {
        lengths[slot] = length;
        if (allowance != Long.MAX_VALUE) {
            allowance -= length + headers;
        }
        counters.count(what);
    }

    /** Adds one of those octets and a CRC, which is not to be dropped; if there is no room, behind all others. Allocates. */
    public void add(DatagramAddress destination, byte[] octets, UdpCounter what) {
        if (size < lengths.length && waiting.isEmpty()) {
            put(destination, octets, what);
        } else {
            waiting.add(new Waiting(destination.copy(), octets, what));
        }
    }

    private void put(DatagramAddress destination, byte[] octets, UdpCounter what) {
        memory.put(begin(destination), octets);
        end(octets.length, what);
    }

    public boolean next(DatagramBatch out) {
        if (size == 0) {
            Waiting first = waiting.poll();
            if (first == null) {
                return false;
            }
            put(first.to, first.octets, first.what);
        }
        out.set(destinations[head], memory, head * LARGEST, lengths[head], lengths[head]);
        return true;
    }

    /** The first one has left, or never will. */
    public void done() {
        head = (head + 1) % lengths.length;
        size--;
    }
}
