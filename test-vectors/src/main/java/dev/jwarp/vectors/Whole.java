package dev.jwarp.vectors;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How much a test tries. A build tries a part, as a developer waits for it. {@code -Djwarp.test.whole=true} tries all, as {@code .ci/run} does. What is asserted is the same.
 */
public final class Whole {
    private static final boolean WANTED = Boolean.getBoolean("jwarp.test.whole");

    private Whole() {}

    /** {@return whether all is tried} */
    public static boolean wanted() {
        return WANTED;
    }

    /** {@return {@code all}, or the {@code part} that a build tries} */
    public static int or(int part, int all) {
        return WANTED ? all : part;
    }

    /** {@return the rows, or the first of each {@code share} of them: values divided by commas, as the arguments of a parameterized test} */
    public static Stream<Object[]> rows(int share, String... rows) {
        return IntStream.range(0, rows.length)
                .filter(i -> WANTED || i % share == 0)
                .mapToObj(i -> rows[i].split(",", -1));
    }
}
