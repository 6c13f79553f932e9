package dev.jwarp.rnic;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Uses reflection, because arenas exist only since Java 22, and the tests are compiled for 17. */
@DisplayName("Memory of an arena")
class ArenaMemoryTest {
    private static final int LENGTH = 256 << 10;

    @BeforeEach
    void arenas() {
        Arenas.assumed();
    }

    private static ByteBuffer buffer(AutoCloseable arena) {
        return Arenas.buffer(Arenas.allocate(arena, LENGTH));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("that is closed while it is used ends its connection with the cause, and nothing else: threaded")
    void closedThreaded(FaultyMemory.Use use) throws Exception {
        closed(World.Kind.THREADED, use);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("that is closed while it is used ends its connection with the cause, and nothing else: inline")
    void closedInline(FaultyMemory.Use use) throws Exception {
        closed(World.Kind.INLINE, use);
    }

    private static void closed(World.Kind kind, FaultyMemory.Use use) throws Exception {
        AutoCloseable arena = Arenas.arena("ofShared");
        try (World world = World.of(kind)) {
            new FaultyMemory(world, use, buffer(arena), () -> Arenas.close(arena), "IllegalStateException").run();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("that is confined to another thread ends its connection with the cause, and nothing else")
    void confined(FaultyMemory.Use use) throws Exception {
        try (AutoCloseable arena = Arenas.arena("ofConfined");
                World world = World.of(World.Kind.THREADED)) {
            new FaultyMemory(world, use, buffer(arena), () -> {}, "WrongThreadException").runAtOnce();
        }
    }
}
