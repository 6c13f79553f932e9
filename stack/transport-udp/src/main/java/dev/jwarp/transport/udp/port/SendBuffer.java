package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams of one turn, contiguous in one direct buffer, divided into batches for one system call each: one
 * destination, equal sizes except for the last (datagram-iWARP §6). Copying small datagrams beats gathering their
 * parts, and the CRC then runs over one piece. Use: {@link #hasRoom}, {@link #begin}, write, {@link #end}. Owner thread
 * only; allocates nothing.
 */
public final class SendBuffer {
    /** The most datagrams of a turn without segmented sends (datagram-iWARP §6). */
    public static final int TURN = 16;
    /** The most datagrams of a segmented send, and of a turn with segmented sends: the limit of Linux. */
    public static final int SEGMENTED_TURN = 64;

    private static final int ENTRIES = SEGMENTED_TURN + 1; // a duplicate of the last may follow

    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * DatagramLength.LARGEST);
    private final Crc crc = new Crc();
    private final Injector injector;
    private final boolean segments;
    private final int turn;

    private final int[] lengths = new int[ENTRIES];
    private final @Nullable OutboundMessage[] messages = new OutboundMessage[ENTRIES];
    private int datagrams;
    private int nextDatagram;

    private final int[] batchBegin = new int[ENTRIES];
    private final int[] batchEnd = new int[ENTRIES];
    private final int[] batchSize = new int[ENTRIES];
    private final DatagramAddress[] batchTo = new DatagramAddress[ENTRIES];
    private final boolean[] batchCut = new boolean[ENTRIES];
    private int batches;
    private int nextBatch;
    private boolean cut;
    /** Whether the datagram begun last, and the last one written, must have a system call of their own. */
    private boolean alone;

    private boolean lastAlone;

    private final DatagramAddress to = new DatagramAddress();
    private int used;
    private int ended;
    private int lastLength;

    /**
     * Creates an empty buffer.
     *
     * @param segments whether one system call sends a batch of several datagrams
     */
    public SendBuffer(boolean segments, Injector injector) {
        this.injector = injector;
        this.segments = segments;
        turn = injector.active() ? 1 : segments ? SEGMENTED_TURN : TURN;
        for (int i = 0; i < ENTRIES; i++) {
            batchTo[i] = new DatagramAddress();
        }
    }

    // ---- whose turn it is

    /** {@return whether a further datagram of any size may be begun in this turn} */
    public boolean hasRoom() {
        return ended < turn && used + lastLength <= DatagramLength.LARGEST;
    }

    /** {@return the buffer to write into; big-endian; absolute puts only} */
    public ByteBuffer memory() {
        return memory;
    }

    /** {@return the index where the datagram to that address begins; it may have {@link DatagramLength#LARGEST} octets} */
    public int begin(DatagramAddress destination) {
        to.set(destination);
        cut = false;
        alone = false;
        return used;
    }

    /** {@return the destination of the datagram begun last} */
    public DatagramAddress destination() {
        return to;
    }

    /**
     * Sends the datagram begun last in a system call of its own: a call fails as a whole if one datagram is too long.
     */
    void alone() {
        alone = true;
    }

    /** Sets whether IP may fragment the datagram begun last, and those that {@link #beginNext} begins behind it. */
    void mayBeCut(boolean yes) {
        cut = yes;
    }

    /**
     * {@return the index where a datagram to the same address begins; -1 if there is no room, or the datagram ended
     * last is not adjacent}
     *
     * @param before the index of the datagram ended last
     * @param length the octets of the datagram ended last without its CRC
     */
    int beginNext(int before, int length) {
        return hasRoom() && ended > 0 && used == before + length + Crc.LENGTH ? used : -1;
    }

    /**
     * Ends the datagram begun last and adds its CRC (DG-4.1-1). A datagram that is never ended is discarded.
     *
     * @param length the octets without the CRC
     * @param message for {@link PortQueuePair#onUnsendable}
     */
    public void end(int length, @Nullable OutboundMessage message) {
        int total = crc.seal(memory, used, length);
        ended++;
        lastLength = total;
        int copies = injector.copies(to, memory, used, total);
        if (copies > 0) {
            append(total, message);
        }
        if (copies > 1) {
            memory.put(used, memory, used - total, total);
            append(total, message);
        }
    }

    /** Appends a complete datagram, past the injector. */
    void append(DatagramAddress destination, ByteBuffer octets) {
        to.set(destination);
        int length = octets.remaining();
        memory.put(used, octets, octets.position(), length);
        ended++;
        lastLength = length;
        append(length, null);
    }

    private void append(int total, @Nullable OutboundMessage message) {
        lengths[datagrams] = total;
        messages[datagrams++] = message;
        int last = batches - 1;
        if (segments && last >= 0 && !alone && !lastAlone && batchCut[last] == cut && fits(last, total)) {
            batchEnd[last] += total;
        } else {
            batchTo[batches].set(to);
            batchCut[batches] = cut;
            lastAlone = alone;
            batchBegin[batches] = used;
            batchEnd[batches] = used + total;
            batchSize[batches++] = total;
        }
        used += total;
    }

    /** A batch whose last datagram is shorter is full. */
    private boolean fits(int batch, int total) {
        int octets = batchEnd[batch] - batchBegin[batch];
        return total <= batchSize[batch]
                && octets % batchSize[batch] == 0
                && octets + total <= DatagramLength.LARGEST
                && batchTo[batch].equals(to);
    }

    // ---- the engine

    /** Begins a turn with an empty buffer. */
    public void clear() {
        datagrams = 0;
        nextDatagram = 0;
        batches = 0;
        nextBatch = 0;
        used = 0;
        ended = 0;
        lastLength = 0;
    }

    /** {@return whether {@code out} is set to a further batch} */
    public boolean next(DatagramBatch out) {
        if (nextBatch == batches) {
            return false;
        }
        int begin = batchBegin[nextBatch];
        out.set(batchTo[nextBatch], memory, begin, batchEnd[nextBatch] - begin, batchSize[nextBatch]);
        if (batchCut[nextBatch]) {
            out.allowCut();
        }
        nextBatch++;
        return true;
    }

    /** {@return the number of datagrams in the next {@code octets}, which were sent} */
    public int sent(int octets) {
        int count = 0;
        for (int left = octets; left > 0; count++) {
            left -= lengths[nextDatagram];
            messages[nextDatagram++] = null;
        }
        return count;
    }

    /** {@return the message of the next datagram, which is skipped} */
    @Nullable
    public OutboundMessage leaveOut() {
        OutboundMessage message = messages[nextDatagram];
        messages[nextDatagram++] = null;
        return message;
    }

    /** {@return the bytes of the datagrams of this turn, sent or not} */
    public int bytes() {
        return used;
    }

    /** {@return whether no datagram was ended in this turn} */
    public boolean untouched() {
        return ended == 0;
    }

    /** {@return whether all datagrams of this turn were sent or skipped} */
    public boolean done() {
        return nextDatagram == datagrams;
    }
}
