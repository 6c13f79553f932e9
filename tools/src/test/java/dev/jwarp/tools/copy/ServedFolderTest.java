package dev.jwarp.tools.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A served folder")
class ServedFolderTest {
    private static final int TIMES = 7;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    @TempDir
    Path here;

    /** Something with files. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /** {@return the processor time that it takes, whatever else the machine does} */
    private long nanosOf(Work work) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TIMES; i++) {
            long before = threads.getCurrentThreadCpuTime();
            work.run();
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        return least;
    }

    private static void lookAtEach(Path path, Path root) throws IOException {
        for (Path at = path; !at.equals(root); at = at.getParent()) {
            Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
    }

    @Test
    @DisplayName("looks at each name of a path once or twice, and not again at all that is above it")
    void linear() throws IOException {
        ServedFolder folder = new ServedFolder(here);
        String deep = "a/".repeat(CopyWire.DEEPEST - 1) + "a";
        Path root = here.toRealPath();
        Path place = Files.createDirectories(root.resolve(deep));
        long eachOnce = nanosOf(() -> lookAtEach(place, root));
        assertThat(nanosOf(() -> folder.place(deep).close())).isLessThan(10 * eachOnce);
    }
}
