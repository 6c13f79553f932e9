package dev.jwarp.rnic.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The folder of a user's sockets")
class StatFolderTest {
    @TempDir
    private Path base;

    private int user;
    private StatFolder folder;

    @BeforeEach
    void ofThisUser() throws IOException {
        user = StatFolder.userOfThisProcess();
        folder = new StatFolder(base, user);
    }

    @Test
    @DisplayName("is created so that only the user can enter it, and found again")
    void isMade() throws IOException {
        folder.prepare();
        folder.prepare();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
                .isEqualTo("rwx------");
        assertThat(folder.path()).isEqualTo(base.resolve("jwarp-" + Integer.toUnsignedString(user)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwx--x---", "rwx---r--", "rw-------"})
    @DisplayName("is not used if it has the permissions")
    void othersMayEnter(String permissions) throws IOException {
        folder.prepare();
        Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString(permissions));
        assertThatThrownBy(folder::prepare).isInstanceOf(IOException.class).hasMessageContaining("not 700");
    }

    @Test
    @DisplayName("is not used if it is a symbolic link, even to a safe folder")
    void isLink() throws IOException {
        StatFolder elsewhere = new StatFolder(Files.createDirectory(base.resolve("elsewhere")), user);
        elsewhere.prepare();
        Files.createSymbolicLink(folder.path(), elsewhere.path());
        assertThatThrownBy(folder::prepare).hasMessageContaining("is no folder");
    }

    @Test
    @DisplayName("is not used if it belongs to another user")
    void isForeign() throws IOException {
        assumeTrue(user == 0, "only root can give a folder away");
        folder.prepare();
        Files.setAttribute(folder.path(), "unix:uid", 65_534);
        assertThatThrownBy(folder::prepare).hasMessageContaining("belongs to user 65534, not to user 0");
    }

    @Test
    @DisplayName("is cleaned of sockets of killed processes only")
    void isCleaned() throws IOException {
        folder.prepare();
        Process ended = new ProcessBuilder("true").start();
        ended.onExit().join();
        Path left = left(ended.pid());
        Path ofLiving = left(ProcessHandle.current().pid());
        Path somethingElse = Files.createFile(folder.path().resolve(ended.pid() + "-notes.txt"));
        Path answered = folder.newSocket(ended.pid(), new SecureRandom());
        try (ServerSocketChannel elsewhere = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            elsewhere.bind(UnixDomainSocketAddress.of(answered));

            folder.clean();

            assertThat(left).doesNotExist();
            assertThat(ofLiving).exists();
            assertThat(somethingElse).exists();
            assertThat(answered).as("socket of a process in another namespace").exists();
        }
    }

    /** A socket without a listener. */
    private Path left(long pid) throws IOException {
        Path path = folder.newSocket(pid, new SecureRandom());
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();
        return path;
    }
}
