package dev.jwarp.tools.study;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a contender needs of the machine. */
enum Need {
    /** UDP_SEGMENT and UDP_GRO. */
    @JsonProperty("linux")
    LINUX("Linux", () -> System.getProperty("os.name").equals("Linux")),
    /** Both ends of 9,000 connections. */
    @JsonProperty("descriptors")
    DESCRIPTORS(
            "20,000 file descriptors (ulimit -n)",
            () -> !(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)
                    || system.getMaxFileDescriptorCount() >= 20_000),
    /** A path that loses TCP segments. */
    @JsonProperty("lab")
    LAB(
            "interop/loss/lab.py of a checkout as the current folder, root, and nft",
            () -> Files.isExecutable(Path.of("interop/loss/lab.py"))
                    && System.getProperty("user.name").equals("root")
                    && Stream.of("/usr/sbin/nft", "/sbin/nft").anyMatch(nft -> Files.isExecutable(Path.of(nft))));

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
