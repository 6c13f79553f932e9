package dev.jwarp.tools.demo;

import dev.jwarp.verbs.ValidityMap;
import java.util.ArrayList;
import java.util.List;

/** The result of moving the file by one operation in datagrams. One thread. */
final class DatagramTransfer extends Transfer {
    private final List<Holes> holes = new ArrayList<>();
    private long partial;
    private long lost;
    private long rereads;

    /**
     * The bytes of a message that were missing at first.
     *
     * @param message the number of the message, from 0
     * @param bytes of the message
     * @param ranges the missing ranges, in the order of their offsets
     */
    record Holes(long message, long bytes, List<Range> ranges) {
        private static final int MOST_SHOWN = 6;

        /**
         * A range of bytes of the file.
         *
         * @param offset of its first byte
         * @param bytes the number of bytes
         */
        record Range(long offset, long bytes) {}

        /**
         * {@return the holes of a message}
         *
         * @param place offset of the message in the file
         */
        static Holes of(long message, long place, ValidityMap validity) {
            List<Range> ranges = new ArrayList<>();
            validity.forEachHole((offset, length) -> ranges.add(new Range(place + offset, length)));
            return new Holes(message, validity.length(), ranges);
        }

        /** {@return the number of missing bytes} */
        long missing() {
            return ranges.stream().mapToLong(Range::bytes).sum();
        }

        /** {@return a line of the report} */
        @Override
        public String toString() {
            StringBuilder line = new StringBuilder("message ")
                    .append(message)
                    .append(": ")
                    .append(missing())
                    .append(" of ")
                    .append(bytes)
                    .append(" bytes missing, at");
            ranges.stream()
                    .limit(MOST_SHOWN)
                    .forEach(range ->
                            line.append(' ').append(range.offset()).append('+').append(range.bytes()));
            return ranges.size() > MOST_SHOWN
                    ? line.append(" and ")
                            .append(ranges.size() - MOST_SHOWN)
                            .append(" more")
                            .toString()
                    : line.toString();
        }
    }

    DatagramTransfer(Operation operation, DemoSettings settings) {
        super(operation, settings);
    }

    /**
     * Counts missing bytes of a window before they are read again.
     *
     * @param firstMessage the number of the window's first message
     * @param place offset of the window in the file
     */
    void missed(DatagramWindow window, long firstMessage, long place) {
        for (DatagramWindow.Torn torn : window.torn()) {
            boolean nothing = torn.validity().validBytes() == 0;
            lost += nothing ? 1 : 0;
            partial += nothing ? 0 : 1;
            holes.add(Holes.of(firstMessage + torn.message(), place + torn.offset(), torn.validity()));
        }
    }

    /** Counts a completed Read of missing bytes. */
    void reread() {
        rereads++;
    }

    /** {@return the number of messages that arrived in part} */
    long partial() {
        return partial;
    }

    /** {@return the number of messages of which nothing arrived} */
    long lost() {
        return lost;
    }

    /** {@return the number of Reads of missing bytes} */
    long rereads() {
        return rereads;
    }

    /** {@return the bytes that were missing at first, message by message} */
    List<Holes> holes() {
        return holes;
    }

    /** {@return the number of bytes that were missing at first} */
    long missing() {
        return holes.stream().mapToLong(Holes::missing).sum();
    }
}
