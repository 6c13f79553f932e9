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
 * A folder that is open. What is done with a name in it is done in this folder, wherever the folder's path leads meanwhile, and no link is followed: another user of the
 * machine may put a link where a file was when this process looked. Where Java cannot open folders in this way (Windows), paths are used. Any thread.
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

    /** {@return the folder with that path, in which links are followed} */
    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    static OpenFolder of(Path path) throws IOException {
        return new OpenFolder(path, Files.newDirectoryStream(path));
    }

    /** {@return the folder of a file that the user named} By its path: the user may open a file in a folder that he may not list. */
    static OpenFolder around(Path file) {
        return new OpenFolder(Objects.requireNonNull(file.toAbsolutePath().getParent()), null);
    }

    /** {@return where this was when it was opened} */
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
        BasicFileAttributes is = attributes(name); // first: to open a pipe would wait for its other end
        if (is.isSymbolicLink()) {
            throw isLink();
        }
        if (!is.isDirectory()) {
            throw new NotDirectoryException(name.toString());
        }
        return enter(name);
    }

    /** {@return the folder that has that name by now, opened} */
    @SuppressWarnings("StreamResourceLeak") // closed with the folder
    OpenFolder enter(Path name) throws IOException {
        Path inner = path.resolve(name);
        if (open == null) {
            return of(inner);
        }
        // By its own name for itself: a pipe has none, and is not opened, which would wait for its other end. A link
        // has: it is found by its key.
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

    /** {@return the names of all that is in it, once} It throws {@link java.nio.file.DirectoryIteratorException}. */
    Iterator<Path> names() {
        return entries == null ? List.<Path>of().iterator() : entries.iterator();
    }

    /** {@return what has that name} */
    BasicFileAttributes attributes(Path name) throws IOException {
        return view(name).readAttributes();
    }

    /** {@return what has that name; null: nothing} */
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

    /** {@return whether that file has this name alone, and no hard link} The number of a file's names is found by its path: it has to be the same file there. */
    boolean isOnlyName(Path name, BasicFileAttributes file) throws IOException {
        Path whole = path.resolve(name);
        if (!whole.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return true;
        }
        Map<String, Object> there = Files.readAttributes(whole, "unix:nlink,fileKey", LinkOption.NOFOLLOW_LINKS);
        return isOne(there.get("nlink")) && Objects.equals(there.get("fileKey"), file.fileKey());
    }

    /** {@return whether a file with so many names has one} Some file systems do not count them, and say 0. */
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
                    : (FileChannel) open.newByteChannel(name, options); // of the default provider it is one
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

    /** Gives a file of this folder another name in it, which it takes away from another file. */
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
     * Makes a folder with that name. Java makes folders by their paths alone: it is made in a folder whose path leads there for certain, and moved.
     *
     * @param root that folder, of the same file system
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
                    ? new IOException("would be a folder on another file system than the one that is served:"
                            + " serve a folder of that file system")
                    : e;
        }
    }

    /** Names in this folder are on the disk when this returns; where no folder can be opened as a file (Windows), the system sees to it. */
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
