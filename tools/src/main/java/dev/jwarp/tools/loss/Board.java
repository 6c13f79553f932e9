package dev.jwarp.tools.loss;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that both ends of a trial share, within a process or through a file: progress for the other end, and results
 * for the report. No bookkeeping goes over the measured network. Times are those of {@link System#nanoTime}, which all
 * processes of a Linux host share. Any thread; each cell has one writer.
 */
final class Board {
    /** Numbers of the whole trial. */
    enum Cell {
        /** By the source: messages posted. */
        POSTED(0),
        /** By the source: 1 when nothing more comes. */
        FINISHED(1),
        /** By the target: messages that are whole, given up, or known to be lost. */
        SETTLED(2),
        /** By the target: datagrams that arrived. */
        DATAGRAMS(3),
        /** By the target: arrival of the last datagram, as of its latest check. */
        LAST_DATAGRAM(4),
        /** By the target: Sends that arrived in part; their numbers are unknown. */
        INCOMPLETE(5),
        /** By the target: 1 when it expects no more. */
        ENDED(6),
        /** By the target: how often its completion queue was empty. */
        IDLE(7),
        /** By the source: requests without a completion at the end of its patience. */
        UNSENT(8);

        private final int index;

        Cell(int index) {
            this.index = index;
        }
    }

    /** The state of a message. */
    enum Fate {
        /** Lost, or still in flight. */
        UNKNOWN(0),
        /** All bytes arrived. */
        WHOLE(1),
        /** Some bytes arrived. */
        PART(2),
        /** It ended in an error. */
        FAILED(3);

        private final int number;

        Fate(int number) {
            this.number = number;
        }
    }

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final Fate[] FATES = Fate.values();
    /** Bytes of a cell: a cache line, because different threads write the cells. */
    private static final int CELL = 64;

    private static final int MESSAGES_AT = Cell.values().length * CELL;
    private static final int POSTED_AT = 0;
    private static final int ENDED_AT = 8;
    private static final int BYTES_AT = 16;
    private static final int FATE_AT = 24;
    private static final int MESSAGE = 32;

    private static final int NUMBER = 4;

    private final ByteBuffer memory;

    private Board(ByteBuffer memory) {
        this.memory = memory;
    }

    private static int bytes(int messages) {
        return MESSAGES_AT + messages * MESSAGE;
    }

    /** {@return a board for threads of this process} */
    static Board inMemory(int messages) {
        return new Board(ByteBuffer.allocateDirect(bytes(messages)));
    }

    /** {@return a board in a file, which other processes can open, too; an existing file keeps its content} */
    static Board inFile(Path file, int messages) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes(messages)));
        }
    }

    /** Clears the board for a trial of so many messages. No other thread may use the board meanwhile. */
    void clear(int messages) {
        for (int at = 0; at < bytes(messages); at += 8) {
            LONGS.setVolatile(memory, at, 0L);
        }
    }

    long get(Cell cell) {
        return (long) LONGS.getVolatile(memory, cell.index * CELL);
    }

    void set(Cell cell, long value) {
        LONGS.setVolatile(memory, cell.index * CELL, value);
    }

    private long get(int message, int what) {
        return (long) LONGS.getVolatile(memory, MESSAGES_AT + message * MESSAGE + what);
    }

    private void set(int message, int what, long value) {
        LONGS.setVolatile(memory, MESSAGES_AT + message * MESSAGE + what, value);
    }

    /** By the source: a message is about to be posted. */
    void posting(int message, long now) {
        set(message, POSTED_AT, now);
        set(Cell.POSTED, message + 1L);
    }

    /** Records the fate of a message, by the end at which it arrives. @return false if the fate was known already */
    boolean ended(int message, Fate fate, long bytes, long now) {
        boolean first = fate(message) == Fate.UNKNOWN;
        set(message, ENDED_AT, now);
        set(message, BYTES_AT, bytes);
        set(message, FATE_AT, fate.number);
        return first;
    }

    Fate fate(int message) {
        return FATES[(int) get(message, FATE_AT)];
    }

    long bytes(int message, boolean wholeOnly) {
        return wholeOnly && fate(message) != Fate.WHOLE ? 0 : get(message, BYTES_AT);
    }

    long postedAt(int message) {
        return get(message, POSTED_AT);
    }

    long endedAt(int message) {
        return get(message, ENDED_AT);
    }

    /** Writes the number of a message into as many of its first bytes as it has, up to 4. */
    static void number(ByteBuffer into, int offset, int size, int message) {
        for (int i = 0; i < Math.min(NUMBER, size); i++) {
            into.put(offset + i, (byte) (message >>> (8 * i)));
        }
    }

    /** {@return the latest message posted that has the number in those bytes; -1 if there is none} */
    int latest(ByteBuffer from, int offset, int size) {
        int bytes = Math.min(NUMBER, size);
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number |= (from.get(offset + i) & 0xffL) << (8 * i);
        }
        long last = get(Cell.POSTED) - 1;
        return (int) Math.max(-1, last - Math.floorMod(last - number, 1L << (8 * bytes)));
    }
}
