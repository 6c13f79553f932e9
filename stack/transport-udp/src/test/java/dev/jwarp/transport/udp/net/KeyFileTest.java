package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
                .hasToString("[key 7]");
        assertThat(KeyFile.ofSetting("jwarp.udp.keys", "")).isNull();
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
