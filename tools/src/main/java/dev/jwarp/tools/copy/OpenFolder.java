package dev.jwarp.tools.copy;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An open folder. Operations on names use the open folder, even if its path was replaced meanwhile, and follow no
 * links: between a check and its use, another user of the machine may replace a file by a link. Where Java has no
 * {@link SecureDirectoryStream} (Windows), paths are used. Any thread.
 */
final class OpenFolder implements Closeable {
    private final Path path;
    private final @Nullable DirectoryStream<Path> entries;
    private final @Nullable SecureDirectoryStream<Path> open;

    private OpenFolder(Path path, @Nullable DirectoryStream<Path> entries) {
        this.path = path;
        this.entries = entries;
        open = entries instanceof SecureDirectoryStream<Path> secure ? secure : null;
    }

    /** {@return the folder with that path; links in the path are followed} */
    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    static OpenFolder of(Path path) throws IOException {
        return new OpenFolder(path, Files.newDirectoryStream(path));
    }

    /**
     * {@return the folder of a file that the user named} It is used by its path, because the user may have the right to
     * open the file but not to list the folder.
     */
    static OpenFolder around(Path file) {
        return new OpenFolder(Objects.requireNonNull(file.toAbsolutePath().getParent()), null);
    }

    /** {@return the path of the folder when it was opened} */
    Path path() {
        return path;
    }

    /** {@return this folder, opened once more} */
    OpenFolder again() throws IOException {
        return open == null
                ? of(path)
                : new OpenFolder(path, open.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS));
    }

    /** {@return the folder with that name, opened} */
    OpenFolder folder(Path name) throws IOException {
        BasicFileAttributes is = attributes(name); // first: opening a named pipe would block
        if (is.isSymbolicLink()) {
            throw isLink();
        }
        if (!is.isDirectory()) {
            throw new NotDirectoryException(name.toString());
        }
        return enter(name);
    }

    /**
     * {@return the folder that has that name now, opened}
     *
     * @throws IOException if the name is a link or not a folder
     */
    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    OpenFolder enter(Path name) throws IOException {
        Path inner = path.resolve(name);
        if (open == null) {
            return of(inner);
        }
        // NAME/. exists only in folders, so a named pipe is not opened, which would block. Through a link NAME/.
        // exists, too: the comparison of keys detects the link.
        SecureDirectoryStream<Path> found = open.newDirectoryStream(name.resolve("."), LinkOption.NOFOLLOW_LINKS);
        try {
            if (!Objects.equals(keyOf(found), attributes(name).fileKey())) {
                throw isLink();
            }
        } catch (IOException e) {
            found.close();
            throw e;
        }
        return new OpenFolder(inner, found);
    }

    private static @Nullable Object keyOf(SecureDirectoryStream<Path> folder) throws IOException {
        return folder.getFileAttributeView(BasicFileAttributeView.class)
                .readAttributes()
                .fileKey();
    }

    /**
     * {@return the entries of this folder; can be called once} The iterator throws {@link
     * java.nio.file.DirectoryIteratorException}.
     */
    Iterator<Path> names() {
        return entries == null ? List.<Path>of().iterator() : entries.iterator();
    }

    /** {@return the attributes of the entry with that name} */
    BasicFileAttributes attributes(Path name) throws IOException {
        return view(name).readAttributes();
    }

    /** {@return the attributes of the entry with that name; null if there is none} */
    @Nullable
    BasicFileAttributes find(Path name) throws IOException {
        try {
            return attributes(name);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private BasicFileAttributeView view(Path name) {
        Class<BasicFileAttributeView> view = BasicFileAttributeView.class;
        return open == null
                ? Files.getFileAttributeView(path.resolve(name), view, LinkOption.NOFOLLOW_LINKS)
                : open.getFileAttributeView(name, view, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * {@return whether a file has no other hard link} Java reads the number of links by path only, so the file at the
     * path must have the same key.
     */
    boolean isOnlyName(Path name, BasicFileAttributes file) throws IOException {
        Path whole = path.resolve(name);
        if (!whole.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return true;
        }
        Map<String, Object> there = Files.readAttributes(whole, "unix:nlink,fileKey", LinkOption.NOFOLLOW_LINKS);
        return isOne(there.get("nlink")) && Objects.equals(there.get("fileKey"), file.fileKey());
    }

    /** {@return whether the number of links means a single name} Some file systems do not count links, and report 0. */
    static boolean isOne(@Nullable Object names) {
        return names instanceof Integer number && number <= 1;
    }

    /** {@return the file with that name, opened} */
    FileChannel open(Path name, OpenOption... how) throws IOException {
        Set<OpenOption> options = new HashSet<>(Set.of(how));
        options.add(LinkOption.NOFOLLOW_LINKS);
        try {
            return open == null
                    ? FileChannel.open(path.resolve(name), options)
                    : (FileChannel) open.newByteChannel(name, options); // the default provider returns a FileChannel
        } catch (IOException e) {
            BasicFileAttributes is = find(name);
            throw is != null && is.isSymbolicLink() ? isLink() : e;
        }
    }

    private static IOException isLink() {
        return new IOException("has become a link, which is not followed");
    }

    void setChanged(Path name, FileTime time) throws IOException {
        view(name).setTimes(time, null, null);
    }

    /** Renames a file within this folder, and replaces a file that has the new name. */
    void rename(Path from, Path to) throws IOException {
        if (open != null) {
            open.move(from, open, to);
            return;
        }
        try {
            Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    void delete(Path name) throws IOException {
        if (open == null) {
            Files.delete(path.resolve(name));
        } else {
            open.deleteFile(name);
        }
    }

    /**
     * Makes a folder with that name. Java makes folders by path only, so the folder is made in {@code root} and then
     * moved here.
     *
     * @param root a folder of the same file system whose path no other user can change
     */
    void make(Path name, OpenFolder root) throws IOException {
        SecureDirectoryStream<Path> from = root.open;
        if (open == null || from == null || path.equals(root.path)) {
            Files.createDirectory(path.resolve(name));
            return;
        }
        Path made = Path.of(ServedFolder.partOf(UUID.randomUUID().toString()));
        Files.createDirectory(root.path.resolve(made));
        try {
            from.move(made, open, name);
        } catch (IOException e) {
            from.deleteDirectory(made);
            throw e instanceof AtomicMoveNotSupportedException
                    ? new IOException("would be a folder on another file system than the served folder:"
                            + " serve a folder of that file system")
                    : e;
        }
    }

    /**
     * Forces the names in this folder to disk. Where a folder cannot be opened as a file (Windows), this does nothing.
     */
    void force() throws IOException {
        FileChannel names;
        try {
            names = open(Path.of("."), StandardOpenOption.READ);
        } catch (IOException e) {
            return;
        }
        try (names) {
            names.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        if (entries != null) {
            entries.close();
        }
    }
}
