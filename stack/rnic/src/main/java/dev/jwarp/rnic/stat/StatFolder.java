package dev.jwarp.rnic.stat;

import dev.jwarp.llp.nio.SystemChannels;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder with the sockets of one user's processes: {@code /tmp/jwarp-UID}, of mode 0700, as HotSpot has {@code
 * /tmp/hsperfdata_USER}. Not below {@code java.io.tmpdir}: the two ends may have different ones. The folder is used
 * only if it is a folder and no symbolic link, belongs to that user, and no other user can enter it; then its creator
 * does not matter.
 */
final class StatFolder {
    /** Parent of the folders of all users. */
    static final Path BASE = Path.of("/tmp");

    private static final int TYPE_MASK = 0xf000;
    private static final int DIRECTORY = 0x4000;
    private static final int PERMISSIONS = 0x1ff;
    private static final int ONLY_THE_USER = 0x1c0;
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})-[0-9a-f]{8}\\.sock");

    private final Path path;
    private final int user;

    /**
     * The folder of a user.
     *
     * @param base parent of the users' folders, such as {@link #BASE}
     * @param user id of the user
     */
    StatFolder(Path base, int user) {
        this.user = user;
        path = base.resolve("jwarp-" + Integer.toUnsignedString(user));
    }

    Path path() {
        return path;
    }

    /**
     * Creates the folder if it does not exist.
     *
     * @throws IOException with a message if the folder cannot be created, or is not safe
     */
    void prepare() throws IOException {
        try {
            Files.createDirectory(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // Created by an earlier process; the check below verifies its user.
        }
        String wrong = whatIsWrong();
        if (wrong != null) {
            throw new IOException(wrong);
        }
    }

    /**
     * {@return the reason why the folder is not safe, as a sentence; null if it is safe}
     *
     * @throws NoSuchFileException if the folder does not exist
     */
    @Nullable
    String whatIsWrong() throws IOException {
        Map<String, Object> is = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        int mode = (int) Objects.requireNonNull(is.get("mode"));
        int owner = (int) Objects.requireNonNull(is.get("uid"));
        if ((mode & TYPE_MASK) != DIRECTORY) {
            return path + " is no folder. Remove it.";
        }
        if (owner != user) {
            return path + " belongs to user " + Integer.toUnsignedString(owner) + ", not to user "
                    + Integer.toUnsignedString(user) + ": another user has made it. Have it removed.";
        }
        if ((mode & PERMISSIONS) != ONLY_THE_USER) {
            return String.format(
                    Locale.ROOT,
                    "%s has the permissions %o, not 700: others might enter it. Remove it.",
                    path,
                    mode & PERMISSIONS);
        }
        return null;
    }

    /** {@return the path of a new socket of a process, which may have several} */
    Path newSocket(long pid, RandomGenerator randomness) {
        return path.resolve(String.format(Locale.ROOT, "%d-%08x.sock", pid, randomness.nextInt()));
    }

    /** {@return the sockets of a process, including sockets without a listener} */
    List<Path> sockets(long pid) throws IOException {
        return all().stream().filter(socket -> pid(socket) == pid).toList();
    }

    /** {@return the pids of processes with sockets in this folder, ascending, without duplicates} */
    List<Long> pids() throws IOException {
        return all().stream().map(StatFolder::pid).distinct().sorted().toList();
    }

    private List<Path> all() throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            files.forEach(file -> {
                if (pid(file) >= 0) {
                    all.add(file);
                }
            });
        }
        return all;
    }

    private static long pid(Path socket) {
        Matcher name = NAME.matcher(socket.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /** Removes sockets of processes that ended without cleaning up. */
    void clean() throws IOException {
        for (Path socket : all()) {
            // A process in another namespace is invisible here, but its socket answers.
            if (ProcessHandle.of(pid(socket)).isEmpty() && !answers(socket)) {
                Files.deleteIfExists(socket);
            }
        }
    }

    private static boolean answers(Path socket) {
        try (SocketChannel channel = SystemChannels.provider().openSocketChannel(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            // Unknown: keep the socket.
            return true;
        }
    }

    /** {@return the user id of this process} */
    static int userOfThisProcess() throws IOException {
        Path self = Path.of("/proc/self");
        if (Files.isDirectory(self)) {
            return user(self);
        }
        Path made = Files.createTempFile("jwarp", null);
        try {
            return user(made);
        } finally {
            Files.delete(made);
        }
    }

    /**
     * {@return the user id of a file's owner}
     *
     * @throws AccessDeniedException if the owner is not accessible
     */
    static int user(Path file) throws IOException {
        try {
            return (int) Files.getAttribute(file, "unix:uid");
        } catch (UnsupportedOperationException e) {
            throw new IOException("files have no owners by number on this system: " + e.getMessage(), e);
        }
    }
}
