package dev.jwarp.tools.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A folder that is served")
class ServedFolderTest {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path here;

    private long bytesFor(ServedFolder folder, String name) throws IOException {
        long before = threads.getCurrentThreadAllocatedBytes();
        folder.place(name);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    @DisplayName("looks at each name of a path once, and not at all above it again: what it allocates shows that")
    void linear() throws IOException {
        ServedFolder folder = new ServedFolder(here);
        String deep = "a/".repeat(CopyWire.DEEPEST - 1) + "a";
        folder.place(deep);
        folder.place("a/a");
        long two = bytesFor(folder, "a/a");
        assertThat(bytesFor(folder, deep)).isLessThan(CopyWire.DEEPEST * two * 2);
    }
}
