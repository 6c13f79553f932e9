package dev.jwarp.transport.udp.net;

import dev.jwarp.transport.udp.seal.SealKeys;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of keys that only its owner may read. Any thread. */
final class KeyFile {
    private static final Set<PosixFilePermission> OWNERS = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
    private static final long MOST_BYTES = 1 << 20;
    private static final long LOOK_SECONDS = 5;
    private static final Logger LOG = LoggerFactory.getLogger(KeyFile.class);

    private final String name;
    private final Path path;
    private @Nullable FileTime modified;
    /** The time of a change that is adopted if the next look finds it again: then the file is whole. */
    private @Nullable FileTime changed;

    private long looked;
    private SealKeys keys;

    private KeyFile(String setting, String file) {
        name = setting + ": " + file;
        try {
            path = Path.of(file);
        } catch (InvalidPathException e) {
            throw unreadable(e);
        }
        keys = read();
    }

    /**
     * {@return the file of keys that a setting names; null if it names none}
     *
     * @throws IllegalArgumentException whose message names setting and file, and contains no secret
     */
    static @Nullable KeyFile ofSetting(String setting, String file) {
        return file.isEmpty() ? null : new KeyFile(setting, file);
    }

    /**
     * {@return the keys} The file is looked at every five seconds, and read again if two looks in a row find the same
     * change. If the file cannot be used, the log says why, and the keys stay.
     */
    synchronized SealKeys at(long nowSeconds) {
        if (Math.abs(nowSeconds - looked) >= LOOK_SECONDS) {
            looked = nowSeconds;
            try {
                FileTime time = Files.getLastModifiedTime(path);
                if (!time.equals(modified) && time.equals(changed)) {
                    reload();
                }
                changed = time;
            } catch (IOException | IllegalArgumentException e) {
                LOG.warn("The keys stay as they are: {}", e.getMessage());
            }
        }
        return keys;
    }

    /** Reads the file again; throws as {@link #ofSetting} does, and then the keys stay. */
    synchronized void reload() {
        keys = read();
        LOG.info("{} was read again: {}", name, keys);
    }

    private SealKeys read() {
        try {
            checkPermissions(name, path);
            if (Files.size(path) > MOST_BYTES) {
                throw new IllegalArgumentException(name + " has more than 1 MiB, too much for a file of keys");
            }
            modified = Files.getLastModifiedTime(path);
            return SealKeys.parse(name, Files.readString(path));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(name + " is not text in UTF-8", e);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private IllegalArgumentException unreadable(Exception cause) {
        return new IllegalArgumentException(
                name + " cannot be read (" + cause.getMessage() + "): name a file with one key a line", cause);
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
