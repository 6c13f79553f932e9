package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A copy of mapped memory")
class MappedMemoryTest {
    private static final int LENGTH = 64 << 10;
    private static final String IN_TIME = "in time";

    @TempDir
    private Path folder;

    /** Runs in a separate JVM, which has compiled the called code. */
    public static final class Program {
        private static final int CALLS = 50_000;
        private static final int COPY = 64;

        private static boolean settled;

        private Program() {}

        /** Prints whether the fault was thrown by settle, or only later. */
        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[0]);
            Files.write(path, new byte[LENGTH]);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
                ByteBuffer copy = ByteBuffer.allocateDirect(COPY);
                for (int i = 0; i < CALLS; i++) {
                    copy(mapped, copy);
                }
                settled = false;
                file.truncate(0);
                try {
                    copy(mapped, copy);
                } catch (InternalError e) {
                    System.out.println(settled ? "too late" : IN_TIME);
                }
            }
        }

        private static void copy(ByteBuffer from, ByteBuffer to) {
            to.put(0, from, 0, COPY);
            MappedMemory.settle();
            settled = true;
        }
    }

    @Test
    @DisplayName("throws a fault when it is settled, even in compiled code")
    void compiled() throws IOException, InterruptedException {
        String printed = MortalJvm.run(
                folder,
                List.of("-XX:-TieredCompilation", "-Xbatch"),
                Program.class,
                folder.resolve("file").toString());
        assertThat(printed).endsWith(IN_TIME + System.lineSeparator());
    }
}
