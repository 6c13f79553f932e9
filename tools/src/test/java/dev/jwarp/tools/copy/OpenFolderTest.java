package dev.jwarp.tools.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("An open folder")
class OpenFolderTest {
    private static final Path NAME = Path.of("name");

    @TempDir
    Path here;

    private Path outside = Path.of("");
    private Path path = Path.of("");

    @BeforeEach
    void make() throws IOException {
        outside = Files.createDirectory(here.resolve("outside"));
        path = Files.createDirectory(here.resolve("folder"));
    }

    /** Another folder is where the open one was. */
    private void swap() throws IOException {
        Files.move(path, here.resolve("moved"));
        Files.createSymbolicLink(path, outside);
    }

    @Test
    @DisplayName("follows no link that replaces a file or a folder")
    void links() throws IOException {
        Files.writeString(outside.resolve("secret"), "secret");
        try (OpenFolder folder = OpenFolder.of(path)) {
            Files.writeString(path.resolve(NAME), "plain");
            assertThat(folder.attributes(NAME).isRegularFile()).isTrue();
            Files.delete(path.resolve(NAME));
            Files.createSymbolicLink(path.resolve(NAME), outside.resolve("secret"));
            assertThatThrownBy(() -> folder.open(NAME, StandardOpenOption.READ))
                    .hasMessage("has become a link, which is not followed");
            Files.delete(path.resolve(NAME));
            Files.createSymbolicLink(path.resolve(NAME), outside);
            assertThatThrownBy(() -> folder.folder(NAME)).hasMessage("has become a link, which is not followed");
            assertThatThrownBy(() -> folder.folder(Path.of("none"))).isInstanceOf(IOException.class);
        }
        try (OpenFolder around = OpenFolder.around(path.resolve(NAME))) {
            assertThatThrownBy(() -> around.open(NAME, StandardOpenOption.READ))
                    .hasMessage("has become a link, which is not followed");
        }
    }

    @Test
    @DisplayName("stays the same folder when its path leads to another one")
    void swapped() throws IOException {
        try (OpenFolder root = OpenFolder.of(here);
                OpenFolder folder = root.folder(path.getFileName())) {
            swap();
            folder.make(Path.of("inner"), root);
            try (FileChannel file = folder.open(NAME, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(new byte[5]));
                folder.setChanged(NAME, FileTime.fromMillis(1_000_000_000_000L));
            }
            folder.rename(NAME, Path.of("other"));
            folder.force();
            try (OpenFolder again = folder.again()) {
                assertThat(again.names()).toIterable().hasSize(2);
            }
            assertThat(root.names()).toIterable().hasSize(3); // and no folder that was to be moved
        }
        assertThat(outside).isEmptyDirectory();
        Path moved = here.resolve("moved");
        assertThat(moved.resolve("inner")).isEmptyDirectory();
        assertThat(moved.resolve("other")).hasSize(5);
        assertThat(Files.getLastModifiedTime(moved.resolve("other")).toMillis()).isEqualTo(1_000_000_000_000L);
    }

    @Test
    @DisplayName("creates no folder in a place that is taken, and leaves nothing behind")
    void taken() throws IOException {
        Files.writeString(path.resolve(NAME), "file");
        try (OpenFolder root = OpenFolder.of(here);
                OpenFolder folder = root.folder(path.getFileName())) {
            assertThatThrownBy(() -> folder.make(NAME, root)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> folder.folder(NAME)).isInstanceOf(NotDirectoryException.class);
            assertThat(root.names()).toIterable().hasSize(2);
        }
        assertThat(path.resolve(NAME)).hasContent("file");
    }

    @Test
    @DisplayName("recognizes a file with other names, and a file that its path no longer leads to")
    void names() throws IOException {
        Files.writeString(path.resolve(NAME), "file");
        Files.writeString(outside.resolve(NAME), "other");
        try (OpenFolder folder = OpenFolder.of(path)) {
            assertThat(folder.isOnlyName(NAME, folder.attributes(NAME))).isTrue();
            Path link = Files.createLink(outside.resolve("link"), path.resolve(NAME));
            assertThat(folder.isOnlyName(NAME, folder.attributes(NAME))).isFalse();
            Files.delete(link);
            swap();
            assertThat(folder.isOnlyName(NAME, folder.attributes(NAME))).isFalse();
        }
    }

    @Test
    @DisplayName("takes a file system's 0 names for not counted")
    void uncounted() {
        assertThat(OpenFolder.isOne(0)).isTrue();
        assertThat(OpenFolder.isOne(1)).isTrue();
        assertThat(OpenFolder.isOne(2)).isFalse();
    }

    @Test
    @DisplayName("neither waits for a pipe nor follows a link that replaces a folder")
    void becomesPipe() throws Exception {
        try (OpenFolder folder = OpenFolder.of(path)) {
            assumeTrue(mkfifo(path.resolve(NAME)));
            assertThatThrownBy(() -> folder.enter(NAME)).isInstanceOf(NotDirectoryException.class);
            Files.delete(path.resolve(NAME));
            Files.createSymbolicLink(path.resolve(NAME), outside);
            assertThatThrownBy(() -> folder.enter(NAME)).hasMessage("has become a link, which is not followed");
            Files.delete(path.resolve(NAME));
            Files.createDirectory(path.resolve(NAME));
            folder.enter(NAME).close();
        }
    }

    static boolean mkfifo(Path pipe) throws Exception {
        return new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
    }

    @Test
    @DisplayName("works by paths where Java cannot open folders")
    void byPaths() throws IOException {
        try (OpenFolder folder = OpenFolder.around(path.resolve(NAME))) {
            folder.make(Path.of("inner"), folder);
            try (OpenFolder inner = folder.folder(Path.of("inner"))) {
                assertThat(inner.names()).isExhausted();
            }
            try (FileChannel file = folder.open(NAME, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                assertThat(file.size()).isZero();
                folder.setChanged(NAME, FileTime.fromMillis(1_000_000_000_000L));
            }
            folder.rename(NAME, Path.of("other"));
            folder.force();
            assertThat(folder.find(NAME)).isNull();
            assertThat(folder.attributes(Path.of("other")).lastModifiedTime().toMillis())
                    .isEqualTo(1_000_000_000_000L);
            folder.delete(Path.of("other"));
            try (OpenFolder again = folder.again()) {
                assertThat(again.names()).toIterable().hasSize(1);
            }
        }
    }
}
