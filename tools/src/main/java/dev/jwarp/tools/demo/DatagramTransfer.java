package dev.jwarp.tools.demo;

import dev.jwarp.verbs.ValidityMap;
import java.util.ArrayList;
import java.util.List;

/** How one way of moving the file in datagrams went. One thread. */
final class DatagramTransfer extends Transfer {
    private final List<Holes> holes = new ArrayList<>();
    private long partial;
    private long lost;
    private long rereads;

    /**
     * What of one message did not come at first.
     *
     * @param message its number, from 0
     * @param bytes of the message
     * @param ranges that did not come, in the order of their place
     */
    record Holes(long message, long bytes, List<Range> ranges) {
        private static final int MOST_SHOWN = 6;

        /**
         * A range of bytes of the file.
         *
         * @param offset of its first byte
         * @param bytes how many
         */
        record Range(long offset, long bytes) {}

        /**
         * {@return what is missing}
         *
         * @param place of the message in the file
         */
        static Holes of(long message, long place, ValidityMap validity) {
            List<Range> ranges = new ArrayList<>();
            validity.forEachHole((offset, length) -> ranges.add(new Range(place + offset, length)));
            return new Holes(message, validity.length(), ranges);
        }

        /** {@return how many bytes are missing} */
        long missing() {
            return ranges.stream().mapToLong(Range::bytes).sum();
        }

        /** {@return a line for people} */
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
     * A window was moved, and not yet repaired.
     *
     * @param firstMessage its first message
     * @param place its place in the file
     */
    void missed(DatagramWindow window, long firstMessage, long place) {
        for (DatagramWindow.Torn torn : window.torn()) {
            boolean nothing = torn.validity().validBytes() == 0;
            lost += nothing ? 1 : 0;
            partial += nothing ? 0 : 1;
            holes.add(Holes.of(firstMessage + torn.message(), place + torn.offset(), torn.validity()));
        }
    }

    /** A Read that was to repair something has ended. */
    void reread() {
        rereads++;
    }

    /** {@return messages of which some bytes were missing} */
    long partial() {
        return partial;
    }

    /** {@return messages of which nothing came} */
    long lost() {
        return lost;
    }

    /** {@return Reads that repaired them} */
    long rereads() {
        return rereads;
    }

    /** {@return what was missing at first, message by message} */
    List<Holes> holes() {
        return holes;
    }

    /** {@return how many bytes were missing at first} */
    long missing() {
        return holes.stream().mapToLong(Holes::missing).sum();
    }
}
