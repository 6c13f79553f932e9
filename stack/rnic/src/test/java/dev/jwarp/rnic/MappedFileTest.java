package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A mapped file that is truncated while in use")
class MappedFileTest {
    private static final int LENGTH = 256 << 10;
    private static final String SURVIVED = " survived";

    @TempDir
    private Path folder;

    /** The program of a separate JVM, which may crash. Arguments: kind of world, file, uses. */
    public static final class Program {
        private Program() {}

        /** Prints the uses that it survived, and a final line if all checks passed. */
        public static void main(String[] arguments) throws IOException {
            for (int i = 2; i < arguments.length; i++) {
                survive(
                        World.Kind.valueOf(arguments[0]),
                        Path.of(arguments[1]),
                        FaultyMemory.Use.valueOf(arguments[i]));
                System.out.println(arguments[i] + SURVIVED);
            }
        }

        private static void survive(World.Kind kind, Path path, FaultyMemory.Use use) throws IOException {
            Files.write(path, new byte[LENGTH]);
            try (World world = World.of(kind);
                    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                new FaultyMemory(
                                world,
                                use,
                                file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH),
                                () -> cutShort(file),
                                "InternalError")
                        .run();
            }
        }

        private static void cutShort(FileChannel file) {
            try {
                file.truncate(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Runs all uses in one JVM, because its start takes longer than the uses. */
    private void survives(World.Kind kind) throws IOException, InterruptedException {
        List<String> flags = MortalJvm.compilers();
        flags.add("-XX:+UseSerialGC");
        List<String> uses = Stream.of(FaultyMemory.Use.values()).map(Enum::name).toList();
        List<String> arguments =
                new ArrayList<>(List.of(kind.name(), folder.resolve("file").toString()));
        arguments.addAll(uses);
        String printed = MortalJvm.run(folder, flags, Program.class, arguments.toArray(new String[0]));
        assertThat(printed.lines().filter(line -> line.endsWith(SURVIVED)))
                .as(printed)
                .containsExactlyElementsOf(
                        uses.stream().map(use -> use + SURVIVED).toList());
    }

    @Test
    @DisplayName("ends its connection with the cause, and nothing else: inline")
    void inline() throws Exception {
        survives(World.Kind.INLINE);
    }

    @Test
    @DisplayName("ends its connection with the cause, and nothing else: threaded")
    void threaded() throws Exception {
        survives(World.Kind.THREADED);
    }

    @Test
    @DisplayName("is recognised at its registration, as is memory with the flag MAPPED")
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
