package dev.jwarp.tools.demo;

import dev.jwarp.verbs.ValidityMap;
import java.util.ArrayList;
import java.util.List;

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
