package dev.jwarp.rdmap.work;

import dev.jwarp.ddp.MappedMemory;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.PayloadWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one operation: pieces of registered memory in order, or bytes copied into the list itself
 * (<em>inline</em>). Preallocated and reused; adding pieces allocates nothing.
 *
 * <p>The posting code has checked that each piece lies within its buffer, belongs to the right domain and grants the
 * access that the operation needs. When the stream uses a piece, it checks only that the registration still exists.
 *
 * <p>Nearly all lists have one piece, so the first piece is stored in fields; only lists for more pieces have arrays.
 *
 * <p>One thread at a time; {@link OperationRing} publishes the list from thread to thread.
 */
public final class ScatterList {
    /**
     * Shared by all lists without inline bytes: an empty direct buffer for each slot of a work queue would cost memory.
     */
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private static final TaggedBuffer[] NO_BUFFERS = {};
    private static final int[] NO_NUMBERS = {};
    private static final long[] NO_POSITIONS = {};

    private @Nullable TaggedBuffer firstBuffer;
    private long firstPosition;
    private int firstLength;

    /** The other pieces. */
    private final @Nullable TaggedBuffer[] buffers;

    private final long[] positions;
    private final int[] lengths;
    private final ByteBuffer inline;
    private final int maximum;
    private int size;
    private long total;
    private boolean inlined;

    /**
     * Creates an empty list.
     *
     * @param maximum pieces it can hold
     * @param inlineCapacity bytes it can hold inline
     */
    public ScatterList(int maximum, int inlineCapacity) {
        this.maximum = maximum;
        int others = Math.max(0, maximum - 1);
        buffers = others == 0 ? NO_BUFFERS : new TaggedBuffer[others];
        positions = others == 0 ? NO_POSITIONS : new long[others];
        lengths = others == 0 ? NO_NUMBERS : new int[others];
        inline = inlineCapacity == 0 ? NOTHING : ByteBuffer.allocateDirect(inlineCapacity);
    }

    /** Empties the list and drops its references to buffers. */
    public void clear() {
        firstBuffer = null;
        for (int i = 1; i < size; i++) {
            buffers[i - 1] = null;
        }
        size = 0;
        total = 0;
        inlined = false;
    }

    /**
     * Appends a piece of registered memory.
     *
     * @param buffer the registration
     * @param position of the first byte, see {@link TaggedBuffer#position}
     * @param length bytes, may be 0
     * @throws IllegalStateException if the list is full or holds inline bytes
     */
    public void add(TaggedBuffer buffer, long position, int length) {
        if (inlined || size == maximum) {
            throw new IllegalStateException(
                    inlined
                            ? "the list holds inline bytes"
                            : "the list holds " + size + " pieces already, its maximum");
        }
        if (size == 0) {
            firstBuffer = buffer;
            firstPosition = position;
            firstLength = length;
        } else {
            buffers[size - 1] = buffer;
            positions[size - 1] = position;
            lengths[size - 1] = length;
        }
        size++;
        total += length;
    }

    /**
     * Appends a copy of bytes; the caller may reuse its memory afterwards.
     *
     * @param source read from {@code index}, absolutely
     * @throws IllegalStateException if they do not fit or the list holds pieces of registered memory
     */
    public void addInline(ByteBuffer source, int index, int length) {
        if ((size > 0 && !inlined) || total + length > inline.capacity()) {
            throw new IllegalStateException("inline bytes do not mix with other pieces and number at most "
                    + inline.capacity() + ": refused to add " + length + " to " + total);
        }
        inline.put((int) total, source, index, length);
        inlined = true;
        total += length;
    }

    /**
     * Appends a copy of bytes of registered memory; the caller may reuse that memory afterwards.
     *
     * @param position of the first byte, see {@link TaggedBuffer#position}
     * @throws IllegalStateException as {@link #addInline(ByteBuffer, int, int)}
     */
    public void addInline(TaggedBuffer buffer, long position, int length) {
        long from = position;
        int left = length;
        do { // once even for 0 bytes, to make the list inline
            int part = buffer.contiguous(from, left);
            addInline(buffer.memoryAt(from), buffer.indexAt(from), part);
            from += part;
            left -= part;
        } while (left > 0);
        if (buffer.mapped()) {
            MappedMemory.settle();
        }
    }

    /** {@return bytes of all pieces together} */
    public long length() {
        return total;
    }

    /** {@return how many pieces there are; inline bytes are one piece} */
    public int size() {
        return inlined ? 1 : size;
    }

    /** {@return the registration of a piece, or null if it is inline} */
    public @Nullable TaggedBuffer buffer(int piece) {
        return piece == 0 ? firstBuffer : buffers[piece - 1]; // inline bytes have none
    }

    private ByteBuffer memory(int piece, int offset) {
        TaggedBuffer buffer = buffer(piece);
        return buffer == null ? inline : buffer.memoryAt(position(piece) + offset);
    }

    private int index(int piece, int offset) {
        TaggedBuffer buffer = buffer(piece);
        return buffer == null ? offset : buffer.indexAt(position(piece) + offset);
    }

    /** {@return the number of these bytes that are contiguous: nearly always all, at least 1 if there are any} */
    private int contiguous(int piece, int offset, int length) {
        TaggedBuffer buffer = buffer(piece);
        return buffer == null ? length : buffer.contiguous(position(piece) + offset, length);
    }

    private long position(int piece) {
        return piece == 0 ? firstPosition : positions[piece - 1];
    }

    /** {@return the tagged offset of the first byte of a piece of registered memory; 0 if it is inline} */
    public long taggedOffset(int piece) {
        TaggedBuffer buffer = buffer(piece);
        return buffer == null ? 0 : buffer.taggedOffset(position(piece));
    }

    /**
     * {@return whether the memory of a piece surely stays accessible until its operation completes} If not, the bytes
     * have to be copied.
     */
    private boolean stable(int piece) {
        TaggedBuffer buffer = buffer(piece);
        return buffer == null || buffer.stable();
    }

    /** Throws if the preceding copy from a piece met a fault, before the bytes are used. */
    void settle(int piece) {
        TaggedBuffer buffer = buffer(piece);
        if (buffer != null && buffer.mapped()) {
            MappedMemory.settle();
        }
    }

    /** {@return a byte of a piece} The caller calls {@link #settle} before it uses the byte. */
    int octet(int piece, int offset) {
        return memory(piece, offset).get(index(piece, offset)) & 0xff;
    }

    /** Stores the result of our own Atomic, in the machine's byte order, in the first piece, which has eight bytes. */
    public void store(long value) {
        if (contiguous(0, 0, Long.BYTES) == Long.BYTES) {
            AtomicMemory.store(memory(0, 0), index(0, 0), value);
        } else {
            for (int i = 0; i < Long.BYTES; i++) {
                memory(0, i).put(index(0, i), AtomicMemory.octet(value, i));
            }
        }
        settle(0);
    }

    /** {@return the length of a piece in bytes} */
    public int length(int piece) {
        if (inlined) {
            return (int) total;
        }
        return piece == 0 ? firstLength : lengths[piece - 1];
    }

    /**
     * Writes bytes of the list to the lower layer, which may send them without a copy because they belong to a work
     * request.
     */
    public void write(PayloadWriter out, long offset, int length) {
        long skip = offset;
        int left = length;
        for (int piece = 0; left > 0; ) {
            int room = (int) Math.max(0, length(piece) - skip);
            if (room == 0) {
                skip -= length(piece);
                piece++;
                continue;
            }
            int from = (int) skip;
            int part = contiguous(piece, from, Math.min(room, left));
            out.payload(memory(piece, from), index(piece, from), part, stable(piece));
            settle(piece);
            skip += part;
            left -= part;
        }
    }

    /**
     * Writes bytes of a region to the lower layer, which copies them because the program may change them at any time.
     */
    public static void write(PayloadWriter out, TaggedBuffer region, long position, int length) {
        long at = position;
        int left = length;
        while (left > 0) {
            int part = region.contiguous(at, left);
            out.payload(region.memoryAt(at), region.indexAt(at), part, false);
            at += part;
            left -= part;
        }
        if (region.mapped()) {
            MappedMemory.settle();
        }
    }

    /**
     * Copies bytes of a message into the pieces.
     *
     * @param offset of the first byte in the message; all bytes must lie within {@link #length}
     * @param source memory to read by absolute index; its position and limit are neither used nor changed
     */
    public void place(long offset, ByteBuffer source, int from, int octets) {
        long skip = offset;
        int left = octets;
        int at = from;
        for (int piece = 0; left > 0; piece++) {
            int room = (int) Math.max(0, length(piece) - skip);
            if (room == 0) {
                skip -= length(piece);
                continue;
            }
            int part = Math.min(room, left);
            put(piece, (int) skip, source, at, part);
            skip = 0;
            at += part;
            left -= part;
        }
    }

    private void put(int piece, int offset, ByteBuffer source, int from, int octets) {
        TaggedBuffer buffer = buffer(piece);
        if (buffer == null) {
            inline.put(offset, source, from, octets);
        } else {
            buffer.put(position(piece) + offset, source, from, octets);
        }
    }

    /** {@return whether every registration of the list still exists} */
    public boolean valid() {
        for (int i = 0; i < size; i++) {
            TaggedBuffer buffer = buffer(i);
            if (buffer == null || !buffer.valid()) {
                return false;
            }
        }
        return true;
    }
}
