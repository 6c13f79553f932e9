package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A mapped file that is cut short while it is used")
class MappedFileTest {
    private static final int LENGTH = 256 << 10;
    private static final String SURVIVED = "survived";

    @TempDir
    private Path folder;

    /** What runs in a JVM of its own, which may not survive: kind of world, use, file. */
    public static final class Program {
        private Program() {}

        /** Says that it survived, and that all was as it should be. */
        public static void main(String[] arguments) throws IOException {
            Path path = Path.of(arguments[2]);
            Files.write(path, new byte[LENGTH]);
            try (World world = World.of(World.Kind.valueOf(arguments[0]));
                    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                new FaultyMemory(
                                world,
                                FaultyMemory.Use.valueOf(arguments[1]),
                                file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH),
                                () -> cutShort(file),
                                "InternalError")
                        .run();
            }
            System.out.println(SURVIVED);
        }

        private static void cutShort(FileChannel file) {
            try {
                file.truncate(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void survives(World.Kind kind, FaultyMemory.Use use) throws IOException, InterruptedException {
        List<String> flags = MortalJvm.compilers();
        flags.add("-XX:+UseSerialGC");
        String printed = MortalJvm.run(
                folder,
                flags,
                Program.class,
                kind.name(),
                use.name(),
                folder.resolve("file").toString());
        assertThat(printed).endsWith(SURVIVED + System.lineSeparator());
    }

    private static Stream<Object[]> uses(Comparator<String> order) {
        return Whole.rows(
                3,
                Stream.of(FaultyMemory.Use.values())
                        .map(Enum::name)
                        .sorted(order)
                        .toArray(String[]::new));
    }

    static Stream<Object[]> inline() {
        return uses(Comparator.naturalOrder());
    }

    static Stream<Object[]> threaded() {
        return uses(Comparator.reverseOrder());
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("ends its connection with the cause, and nothing else: inline")
    void inline(FaultyMemory.Use use) throws Exception {
        survives(World.Kind.INLINE, use);
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("ends its connection with the cause, and nothing else: threaded")
    void threaded(FaultyMemory.Use use) throws Exception {
        survives(World.Kind.THREADED, use);
    }

    @Test
    @DisplayName("is recognised when it is registered, and so is what is named as such")
    void recognised() throws IOException {
        Path path = folder.resolve("file");
        Files.write(path, new byte[LENGTH]);
        try (World world = World.of(World.Kind.SIMULATED);
                FileChannel file = FileChannel.open(path)) {
            Endpoint side = Connected.in(world).active;
            MemoryRegion region = side.domain.register(file.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH));
            assertThat(region.access()).containsExactly(AccessFlag.MAPPED);
            region.close();
            region = side.domain.register(ByteBuffer.allocateDirect(8), AccessFlag.MAPPED);
            assertThat(region.access()).containsExactly(AccessFlag.MAPPED);
            region.close();
            region = side.domain.register(ByteBuffer.allocateDirect(8));
            assertThat(region.access()).isEmpty();
            region.close();
        }
    }
}
