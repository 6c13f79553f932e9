package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams of one turn, side by side in one direct buffer, cut into batches that can be sent with one call each: one
 * destination, equal sizes but for the last (datagram-iWARP §6). Copying small datagrams beats gathering their parts, and
 * the CRC then runs over one piece. Use: {@link #hasRoom}, {@link #begin}, write, {@link #end}. Owner thread only;
 * allocates nothing.
 */
public final class SendBuffer {
    /** Datagrams of a turn where each costs a system call (datagram-iWARP §6). */
    public static final int TURN = 16;
    /** Datagrams of a segmented send, and of a turn of such: what Linux takes. */
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
    /** The datagram begun last shares no system call; nor does the next one share that of one that did not. */
    private boolean alone;

    private boolean lastAlone;

    private final DatagramAddress to = new DatagramAddress();
    private int used;
    private int ended;
    private int lastLength;

    /**
     * Creates an empty one.
     *
     * @param segments whether a batch of several datagrams costs one call
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

    /** {@return whether one more datagram, of whatever size, may be begun in this turn} */
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

    /** {@return where the datagram begun last goes} */
    public DatagramAddress destination() {
        return to;
    }

    /** The datagram begun last goes in a call of its own: where what stands beside it is too long for the path, all of a call is. */
    void alone() {
        alone = true;
    }

    /** Says whether IP may cut the datagram begun last into fragments, and those that {@link #beginNext} begins behind it. */
    void mayBeCut(boolean yes) {
        cut = yes;
    }

    /**
     * {@return the index where a datagram to the same address begins, if there is room for it and the one ended last stands right
     * before it} Else -1.
     *
     * @param before where that one begins
     * @param length octets of that one without its CRC
     */
    int beginNext(int before, int length) {
        return hasRoom() && ended > 0 && used == before + length + Crc.LENGTH ? used : -1;
    }

    /**
     * Ends the datagram begun last and puts its CRC behind it (DG-4.1-1). One that was begun only is as if never begun.
     *
     * @param length octets without the CRC
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

    /** Appends a datagram that is complete and passes no injector. */
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

    /** A batch that has ended with a shorter datagram takes no more. */
    private boolean fits(int batch, int total) {
        int octets = batchEnd[batch] - batchBegin[batch];
        return total <= batchSize[batch]
                && octets % batchSize[batch] == 0
                && octets + total <= DatagramLength.LARGEST
                && batchTo[batch].equals(to);
    }

    // ---- the engine

    /** Begins a turn; everything of the last one is done with. */
    public void clear() {
        datagrams = 0;
        nextDatagram = 0;
        batches = 0;
        nextBatch = 0;
        used = 0;
        ended = 0;
        lastLength = 0;
    }

    /** {@return whether there was another batch, which {@code out} is now} */
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

    /** {@return how many datagrams these octets, next to be sent, were} */
    public int sent(int octets) {
        int count = 0;
        for (int left = octets; left > 0; count++) {
            left -= lengths[nextDatagram];
            messages[nextDatagram++] = null;
        }
        return count;
    }

    /** {@return what the next datagram to be sent belongs to; it is left out} */
    @Nullable
    public OutboundMessage leaveOut() {
        OutboundMessage message = messages[nextDatagram];
        messages[nextDatagram++] = null;
        return message;
    }

    /** {@return bytes of the datagrams of this turn, sent or not} */
    public int bytes() {
        return used;
    }

    /** {@return whether nothing was written in this turn} */
    public boolean untouched() {
        return ended == 0;
    }

    /** {@return whether all of this turn has left} */
    public boolean done() {
        return nextDatagram == datagrams;
    }
}
