package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Uses reflection, because segments exist only since Java 22, and the tests are compiled for 17. */
@DisplayName("A registered memory segment")
class SegmentMemoryTest {
    private static final int LENGTH = 256 << 10;
    private static final String SURVIVED = "survived";

    @TempDir
    private Path folder;

    /** The cause that invalidates the memory. */
    private enum End {
        ARENA_CLOSED("IllegalStateException"),
        FILE_CUT_SHORT("InternalError");

        private final String cause;

        End(String cause) {
            this.cause = cause;
        }
    }

    /** The program of a separate JVM, which may crash. Arguments: kind of world, use, end, file. */
    public static final class Program {
        private Program() {}

        /** Prints a line if it survived and all checks passed. */
        public static void main(String[] arguments) throws IOException {
            World.Kind kind = World.Kind.valueOf(arguments[0]);
            FaultyMemory.Use use = FaultyMemory.Use.valueOf(arguments[1]);
            End end = End.valueOf(arguments[2]);
            Path path = Path.of(arguments[3]);
            Files.write(path, new byte[LENGTH]);
            AutoCloseable arena = Arenas.arena("ofShared");
            try (World world = World.of(kind);
                    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                Object segment = end == End.ARENA_CLOSED
                        ? Arenas.allocate(arena, LENGTH)
                        : Arenas.map(arena, file, FileChannel.MapMode.READ_WRITE, LENGTH);
                new FaultyMemory(
                                world,
                                use,
                                (domain, access) -> domain.registerSegment(segment, access),
                                () -> goAway(end, arena, file),
                                end.cause)
                        .run();
            }
            System.out.println(SURVIVED);
        }

        private static void goAway(End end, AutoCloseable arena, FileChannel file) {
            if (end == End.ARENA_CLOSED) {
                Arenas.close(arena);
                return;
            }
            try {
                file.truncate(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void survives(World.Kind kind, FaultyMemory.Use use, End end) throws Exception {
        Arenas.assumed();
        List<String> flags = MortalJvm.compilers();
        flags.add("-XX:+UseSerialGC");
        String printed = MortalJvm.run(
                folder,
                flags,
                Program.class,
                kind.name(),
                use.name(),
                end.name(),
                folder.resolve("file").toString());
        assertThat(printed).endsWith(SURVIVED + System.lineSeparator());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("whose arena is closed ends its connection with the cause, and nothing else: inline")
    void closedInline(FaultyMemory.Use use) throws Exception {
        survives(World.Kind.INLINE, use, End.ARENA_CLOSED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("whose arena is closed ends its connection with the cause, and nothing else: threaded")
    void closedThreaded(FaultyMemory.Use use) throws Exception {
        survives(World.Kind.THREADED, use, End.ARENA_CLOSED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of a truncated file ends its connection with the cause, and nothing else")
    void cutShort(FaultyMemory.Use use) throws Exception {
        survives(World.Kind.THREADED, use, End.FILE_CUT_SHORT);
    }

    private static void refused(ThrowingCallable registration, String why) {
        assertThatThrownBy(registration)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(why);
    }

    @Test
    @DisplayName("must be a MemorySegment: other objects are rejected, on every Java version")
    void anything() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.in(world).active;
            refused(() -> side.domain.registerSegment("memory"), "String");
            refused(() -> side.domain.registerSegment(new byte[8], 0x1000), "MemorySegment");
        }
    }

    @Test
    @DisplayName("must be native, alive, and accessible by every thread; read-only segments cannot be written")
    void unfit() throws Exception {
        Arenas.assumed();
        try (World world = World.of(World.Kind.SIMULATED);
                AutoCloseable confined = Arenas.arena("ofConfined")) {
            Endpoint side = Connected.in(world).active;
            refused(() -> side.domain.registerSegment(Arenas.ofArray(new byte[8])), "heap");
            refused(() -> side.domain.registerSegment(Arenas.allocate(confined, 8)), "one thread");
            AutoCloseable shared = Arenas.arena("ofShared");
            Object segment = Arenas.allocate(shared, 64);
            refused(() -> side.domain.registerSegment(Arenas.readOnly(segment), AccessFlag.LOCAL_WRITE), "Read-only");
            MemoryRegion region = side.domain.registerSegment(Arenas.readOnly(segment), 0x1000);
            assertThat(region.address()).isEqualTo(0x1000);
            assertThat(region.length()).isEqualTo(64);
            assertThat(region.access()).isEmpty();
            assertThatThrownBy(() -> region.setAtomic(0, 1)).hasMessageContaining("read-only");
            // Netty reads memory by its address, and the arena may be closed meanwhile.
            assertThat(((RnicMemoryRegion) region).tagged().stable())
                    .as("sent without a copy")
                    .isFalse();
            shared.close();
            assertThatThrownBy(() -> region.getAtomic(0)).isInstanceOf(IllegalStateException.class);
            refused(() -> side.domain.registerSegment(segment), "closed");
            region.close();
        }
    }

    @Test
    @DisplayName("may have a terabyte, as a sparse file")
    void terabyte() throws Exception {
        Arenas.assumed();
        long length = 1L << 40;
        try (World world = World.of(World.Kind.SIMULATED);
                AutoCloseable arena = Arenas.arena("ofShared");
                FileChannel file = FileChannel.open(
                        folder.resolve("file"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.SPARSE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            Endpoint side = Connected.in(world).active;
            Object segment = map(arena, file, length);
            MemoryRegion region = side.domain.registerSegment(segment, AccessFlag.LOCAL_WRITE);
            assertThat(region.length()).isEqualTo(length);
            assertThat(region.access()).contains(AccessFlag.MAPPED);
            region.setAtomic(length - 8, 42);
            assertThat(region.getAtomic(length - 8)).isEqualTo(42);
            region.close();
            Object more = map(arena, file, length + 1);
            // Detected before the segment is split.
            refused(() -> side.domain.registerSegment(more), "it has " + (length + 1) + " bytes");
        }
    }

    private static Object map(AutoCloseable arena, FileChannel file, long length) {
        try {
            return Arenas.map(arena, file, FileChannel.MapMode.READ_WRITE, length);
        } catch (IOException e) {
            return Assumptions.abort("a file of " + length + " bytes cannot be mapped here: " + e);
        }
    }
}
