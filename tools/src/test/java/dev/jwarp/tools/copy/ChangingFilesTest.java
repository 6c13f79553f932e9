package dev.jwarp.tools.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("jwarp cp of files that change meanwhile")
class ChangingFilesTest {
    private static final int BYTES = 3 << 20;

    @TempDir
    Path here;

    @TempDir
    Path there;

    private final List<String> notes = new ArrayList<>();

    /** Sends the folder, and does something once, when the first bytes of a file have gone. */
    private FileSender.Totals send(Consumer<String> then) throws Exception {
        return send(List.of("all"), then);
    }

    /** The same, with each of these names. */
    private FileSender.Totals send(List<String> names, Consumer<String> then) throws Exception {
        try (Run.Background server =
                Run.inBackground("cp", "--tcp", "--serve", there.toString(), "-a", "127.0.0.1", "-p", "0", "-n", "1")) {
            int port = Integer.parseInt(Listeners.port(server));
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            try (CopyTalk talk = new CopyTalk(channel, System::nanoTime)) {
                FileSender sender = new FileSender(talk, false, watcher(then));
                for (String name : names) {
                    sender.send(here, name);
                }
                sender.end();
                return sender.totals();
            }
        }
    }

    private FileSender.Watcher watcher(Consumer<String> then) {
        return new FileSender.Watcher() {
            private String name = "";
            private boolean done;

            @Override
            public void begins(String file, long length, long from) {
                name = file;
            }

            @Override
            public void moved(long bytes) {
                if (!done) {
                    done = true;
                    then.accept(name);
                }
            }

            @Override
            public void note(Path what, String why) {
                notes.add(what.getFileName() + " " + why);
            }
        };
    }

    private static void quietly(Action action) {
        try {
            action.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Changes files. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    @Test
    @DisplayName("a file that becomes shorter ends the copy, with its name")
    void shorter() throws Exception {
        Path file = Files.write(here.resolve("file"), new byte[BYTES]);
        assertThatThrownBy(() -> send(name -> quietly(() -> {
                    try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        cut.truncate(BYTES / 2);
                    }
                })))
                .isInstanceOf(IOException.class)
                .hasMessage("all/file: became shorter while it was read");
        assertThat(there.resolve("all/file")).doesNotExist();
    }

    @Test
    @DisplayName("a file that becomes longer is copied up to its first length, with a note")
    void longer() throws Exception {
        Path file = Files.write(here.resolve("file"), new byte[BYTES]);
        FileSender.Totals copied =
                send(name -> quietly(() -> Files.write(file, new byte[5], StandardOpenOption.APPEND)));
        assertThat(copied.failed).isOne();
        assertThat(notes)
                .containsExactly("file changed while it was copied: the copy may be a mixture of old and new data");
        assertThat(there.resolve("all/file")).hasSize(BYTES);
    }

    @Test
    @DisplayName("a file that is deleted before its turn has a note, and the others are copied")
    void goes() throws Exception {
        for (int i = 0; i < 5; i++) {
            Files.write(here.resolve("file" + i), new byte[BYTES]);
        }
        FileSender.Totals copied = send(name -> quietly(() -> {
            for (int i = 0; i < 5; i++) {
                if (!name.equals("all/file" + i)) {
                    Files.delete(here.resolve("file" + i));
                }
            }
        }));
        assertThat(copied.files).isOne();
        assertThat(copied.failed).isEqualTo(notes.size());
        assertThat(notes).allMatch(note -> note.endsWith(" does not exist any more"));
    }

    @Test
    @DisplayName("a folder that a link replaces is copied itself, not the folder that the link leads to")
    void folderBecomesLink(@TempDir Path secrets) throws Exception {
        Path folder = Files.createDirectory(here.resolve("folder"));
        for (int i = 0; i < 3; i++) {
            Files.write(folder.resolve("file" + i), new byte[BYTES]);
            Files.writeString(secrets.resolve("file" + i), "secret");
        }
        FileSender.Totals copied = send(name -> quietly(() -> {
            Files.move(folder, secrets.resolve("moved"));
            Files.createSymbolicLink(folder, secrets);
        }));
        assertThat(copied.files).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            assertThat(there.resolve("all/folder/file" + i)).hasSize(BYTES);
        }
    }

    @Test
    @DisplayName("a link that is put in the place of a file, between look and open, is not followed")
    void filesBecomeLinks(@TempDir Path secrets) throws Exception {
        Path secret = Files.writeString(secrets.resolve("secret"), "secret");
        Path file = Files.writeString(here.resolve("file"), "plain");
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> swaps = CompletableFuture.runAsync(
                () -> quietly(() -> {
                    while (!ended.get()) {
                        Path link = Files.createSymbolicLink(secrets.resolve("link"), secret);
                        Files.move(link, file, StandardCopyOption.ATOMIC_MOVE);
                        Path plain = Files.writeString(secrets.resolve("plain"), "plain");
                        Files.move(plain, file, StandardCopyOption.ATOMIC_MOVE);
                    }
                }),
                OwnThread.EACH);
        List<String> names = IntStream.range(0, 200).mapToObj(i -> "all" + i).toList();
        try {
            send(names, name -> {});
        } finally {
            ended.set(true);
            swaps.join();
        }
        for (String name : names) {
            Path copy = there.resolve(name).resolve("file");
            assertThat(Files.notExists(copy) || Files.readString(copy).equals("plain"))
                    .as(name)
                    .isTrue();
        }
    }
}
