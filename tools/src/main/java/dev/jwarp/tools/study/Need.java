package dev.jwarp.tools.study;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a contender needs of the machine. */
enum Need {
    /** UDP_SEGMENT and UDP_GRO. */
    @JsonProperty("linux")
    LINUX("Linux", () -> System.getProperty("os.name").equals("Linux"));

    private final String what;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final BooleanSupplier there;

    Need(String what, BooleanSupplier there) {
        this.what = what;
        this.there = there;
    }

    /** {@return why a contender cannot run here; null if it can} */
    @Nullable
    String missing() {
        return there.getAsBoolean() ? null : "it needs " + what;
    }
}
