package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.transport.udp.seal.SealKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A file of keys")
class KeyFileTest {
    private static final String LINE = "7 send hex:00112233445566778899aabbccddeeff any\n";

    @TempDir
    Path folder;

    private Path file(String permissions, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    @DisplayName("is read if only its owner may read it")
    void owner() throws IOException {
        assertThat(KeyFile.ofSetting("jwarp.udp.keys", file("rw-------", LINE).toString()))
                .satisfies(keys -> assertThat(keys.at(0)).hasToString("[key 7]"));
        assertThat(KeyFile.ofSetting("jwarp.udp.keys", "")).isNull();
    }

    @Test
    @DisplayName(
            "is read again when two looks have found the same change, or when it is asked for; one that is wrong changes nothing")
    void changes() throws IOException {
        Path path = file("rw-------", LINE);
        KeyFile keys = Objects.requireNonNull(KeyFile.ofSetting("jwarp.udp.keys", path.toString()));
        SealKeys first = keys.at(100);
        assertThat(keys.at(200)).as("no change").isSameAs(first);
        write(path, LINE + "8 receive hex:00112233445566778899aabbccddeeff any\n", 1);
        assertThat(keys.at(204)).isSameAs(first);
        assertThat(keys.at(205)).as("perhaps not whole yet").isSameAs(first);
        assertThat(keys.at(210)).hasToString("[key 7, key 8]");
        write(path, "7 send", 2);
        assertThat(keys.at(215)).hasToString("[key 7, key 8]");
        assertThat(keys.at(220)).hasToString("[key 7, key 8]");
        assertThatThrownBy(keys::reload).hasMessageContaining("line 1 has 2 words");
        write(path, LINE, 3);
        keys.reload();
        assertThat(keys.at(221)).hasToString("[key 7]");
        Files.delete(path);
        assertThat(keys.at(230)).hasToString("[key 7]");
    }

    private static void write(Path path, String text, long second) throws IOException {
        Files.writeString(path, text);
        Files.setLastModifiedTime(path, FileTime.fromMillis(1_000 * second));
    }

    @Test
    @DisplayName("is rejected if others may read or change it")
    void others() throws IOException {
        for (String permissions : new String[] {"rw-r-----", "rw-----w-"}) {
            String file = file(permissions, LINE).toString();
            assertThatThrownBy(() -> KeyFile.ofSetting("jwarp.udp.keys", file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jwarp.udp.keys: " + file)
                    .hasMessageContaining(permissions)
                    .hasMessageContaining("chmod 600");
        }
    }

    @Test
    @DisplayName("that is missing or malformed gives a clear message")
    void mistakes() throws IOException {
        assertThatThrownBy(() -> KeyFile.ofSetting("jwarp.udp.keys", folder + "/none"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/none cannot be read");
        String file = file("rw-------", "hello\n").toString();
        assertThatThrownBy(() -> KeyFile.ofSetting("jwarp.udp.keys", file)).hasMessageContaining("line 1 has 1 words");
    }
}
