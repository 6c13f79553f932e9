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
 * The send queue for short control datagrams, sent before all others: answers, and questions to resolvers. Bounded: a
 * full queue drops datagrams, as the network might. Owner thread only; allocates nothing.
 */
public final class AnswerQueue {
    /** The most octets of a datagram, CRC included. */
    public static final int LARGEST = 288;

    private record Waiting(DatagramAddress to, byte[] octets, UdpCounter what) {}

    /** The capacity of the queue. */
    private static final int SLOTS = 64;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(SLOTS * LARGEST);
    private final DatagramAddress[] destinations = new DatagramAddress[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private final Crc crc = new Crc();
    private final Tally<UdpCounter> counters;
    /** Datagrams of detached queue pairs that found the queue full. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private int head;
    private int size;

    /** The octets left for answers, headers of IP and UDP included; and the length of these headers. */
    private long allowance = Long.MAX_VALUE;

    private int headers;

    /** Creates an empty queue. */
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
     * Until {@link #free}, limits the sum of added datagrams to the length of one read: many short datagrams that the
     * system has joined may have been a single long one from a forged address (datagram-iWARP §9, DG-9.5-1). Each
     * answer counts with headers, and with an envelope if there are envelopes.
     */
    public void answersTo(int octets, DatagramAddress source, int envelope) {
        allowance = (long) octets + source.headers();
        headers = source.headers() + envelope;
    }

    /** Ends the limit of {@link #answersTo}. */
    public void free() {
        allowance = Long.MAX_VALUE;
        headers = 0;
    }

    /** {@return whether there is room for a datagram of that length, CRC included; if not, the refusal is counted} */
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

    /**
     * {@return the offset at which a datagram to that address begins; only after {@link #hasRoom(int)} has returned
     * true}
     */
    public int begin(DatagramAddress destination) {
        int slot = (head + size) % lengths.length;
        destinations[slot].set(destination);
        return slot * LARGEST;
    }

    /** Ends the datagram begun last: adds the CRC behind its {@code length} octets (DG-4.1-1), and counts it. */
    public void end(int length, UdpCounter what) {
        int slot = (head + size++) % lengths.length;
        lengths[slot] = crc.seal(memory, slot * LARGEST, length);
        if (allowance != Long.MAX_VALUE) {
            allowance -= lengths[slot] + headers;
        }
        counters.count(what);
    }

    /**
     * Adds a datagram without CRC that must not be dropped; if the queue is full, it waits behind all others.
     * Allocates.
     */
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

    /** Removes the first datagram, which was sent or cannot be sent. */
    public void done() {
        head = (head + 1) % lengths.length;
        size--;
    }
}
