package dev.jwarp.architecture;

import java.util.Comparator;

/**
 * A place in the code.
 *
 * @param name the class and its member, such as {@code FpduBatch.end} or {@code FpduTest#lengths}
 * @param file its path from the root of the repository
 * @param line its line in the file: the first line if several members have the same name
 */
record Place(String name, String file, long line) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
        return Comparator.comparing(Place::name).thenComparing(Place::file).compare(this, other);
    }

    /** {@return name, file and line, for a table of a release} */
    String words() {
        return "`" + name + "` " + file + ":" + line;
    }
}
