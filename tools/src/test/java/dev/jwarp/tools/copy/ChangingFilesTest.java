package dev.jwarp.tools.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
    private Copied send(Consumer<String> then) throws Exception {
        try (Run.Background server =
                Run.inBackground("cp", "--tcp", "--serve", there.toString(), "-a", "127.0.0.1", "-p", "0", "-n", "1")) {
            int port = Integer.parseInt(Listeners.port(server));
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            try (CopyTalk talk = new CopyTalk(channel, System::nanoTime)) {
                FileSender sender = new FileSender(talk, false, watcher(then));
                sender.send(here, "all");
                sender.end();
                return sender.copied();
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
    @DisplayName("one that becomes shorter ends the copy, with its name")
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
    @DisplayName("of one that becomes longer goes what was there at the beginning, and it is said")
    void longer() throws Exception {
        Path file = Files.write(here.resolve("file"), new byte[BYTES]);
        Copied copied = send(name -> quietly(() -> Files.write(file, new byte[5], StandardOpenOption.APPEND)));
        assertThat(copied.failed).isOne();
        assertThat(notes).containsExactly("file changed while it was copied: what is there now may be of both");
        assertThat(there.resolve("all/file")).hasSize(BYTES);
    }

    @Test
    @DisplayName("one that goes before its turn is said, and the others go")
    void goes() throws Exception {
        for (int i = 0; i < 5; i++) {
            Files.write(here.resolve("file" + i), new byte[BYTES]);
        }
        Copied copied = send(name -> quietly(() -> {
            for (int i = 0; i < 5; i++) {
                if (!name.equals("all/file" + i)) {
                    Files.delete(here.resolve("file" + i));
                }
            }
        }));
        assertThat(copied.files).isOne();
        assertThat(copied.failed).isEqualTo(notes.size());
        assertThat(notes).allMatch(note -> note.endsWith(" is not there any more"));
    }
}
