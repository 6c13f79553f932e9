package dev.jwarp.transport.udp.net;

import dev.jwarp.transport.udp.seal.SealKeys;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads keys from a file that only its owner may read. */
final class KeyFile {
    private static final Set<PosixFilePermission> OWNERS = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
    private static final long MOST_BYTES = 1 << 20;

    private KeyFile() {}

    /**
     * {@return the keys in the file that a setting names; null if it names none}
     *
     * @throws IllegalArgumentException whose message names setting and file, and contains no secret
     */
    static @Nullable SealKeys ofSetting(String setting, String file) {
        if (file.isEmpty()) {
            return null;
        }
        String name = setting + ": " + file;
        try {
            Path path = Path.of(file);
            checkPermissions(name, path);
            if (Files.size(path) > MOST_BYTES) {
                throw new IllegalArgumentException(name + " has more than 1 MiB, too much for a file of keys");
            }
            return SealKeys.parse(name, Files.readString(path));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(name + " is not text in UTF-8", e);
        } catch (IOException | InvalidPathException e) {
            throw new IllegalArgumentException(
                    name + " cannot be read (" + e.getMessage() + "): name a file with one key a line", e);
        }
    }

    private static void checkPermissions(String name, Path path) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view == null) {
            return; // this system has no POSIX permissions
        }
        Set<PosixFilePermission> permissions = view.readAttributes().permissions();
        if (!OWNERS.containsAll(permissions)) {
            throw new IllegalArgumentException(name + " may be used by others than its owner ("
                    + PosixFilePermissions.toString(permissions) + "), so its secrets may be known: chmod 600 it");
        }
    }
}
