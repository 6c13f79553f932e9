package dev.jwarp.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.cli.ToolFailure;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentTest {
    @Property
    @Label("a made up file reads the same in any pieces")
    void madeUpFileReadsSameInAnyPieces(
            @ForAll @IntRange(max = 200) int from, @ForAll @IntRange(max = 200) int length) {
        try (Content content = Content.generated(1_000, 7)) {
            ByteBuffer whole = ByteBuffer.allocate(1_000);
            content.read(0, whole);
            ByteBuffer piece = ByteBuffer.allocate(length);
            content.read(from, piece);

            assertThat(piece.hasRemaining()).isFalse();
            assertThat(piece.flip()).isEqualTo(whole.flip().slice(from, length));
        }
    }

    @Test
    @DisplayName("the same seed always gives the same bytes")
    void sameSeedGivesSameBytesForEver() {
        ByteBuffer octets = ByteBuffer.allocate(16);
        try (Content content = Content.generated(16, 20_401)) {
            content.read(0, octets);
        }
        assertThat(HexFormat.of().formatHex(octets.array())).isEqualTo("d8809e7952563fa554a84476516d1e73");
    }

    @Test
    @DisplayName("a file is read at any offset")
    void fileIsReadAtAnyPlace(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[] {1, 2, 3, 4, 5});
        try (Content content = Content.file(file)) {
            ByteBuffer two = ByteBuffer.allocate(2);
            content.read(3, two);

            assertThat(content.size()).isEqualTo(5);
            assertThat(two.array()).containsExactly(4, 5);
        }
    }

    @Test
    @DisplayName("a file that shrinks meanwhile is reported")
    void fileThatShrinksMeanwhileIsTold(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[100]);
        try (Content content = Content.file(file)) {
            Files.write(file, new byte[10]);

            assertThatThrownBy(() -> content.read(0, ByteBuffer.allocate(100)))
                    .isInstanceOf(ToolFailure.class)
                    .hasMessageContaining("became shorter while it was read: it ends at 10, at the start it had 100");
        }
    }
}
