package dev.jwarp.tools.copy;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a file: its name in an open folder, and next to it the part, which has the received bytes until
 * the file is complete. One thread.
 */
final class FilePlace implements Closeable {
    private final OpenFolder folder;
    private final Path name;
    private final Path part;
    /** The file key of an existing part; null if the part was created. */
    private @Nullable Object key;

    /** Takes ownership of the folder. */
    FilePlace(OpenFolder folder, Path name) {
        this.folder = folder;
        this.name = name;
        part = Path.of(ServedFolder.partOf(name.toString()));
    }

    Path path() {
        return folder.path().resolve(name);
    }

    /** {@return the attributes of the existing file with that name; null if there is none} */
    @Nullable
    BasicFileAttributes find() throws IOException {
        return folder.find(name);
    }

    /**
     * {@return the part, opened} A file that has other names (hard links) is not used: they would show the written
     * bytes. Nothing may be written before {@link #isOwn}.
     */
    FileChannel open() throws IOException {
        BasicFileAttributes is = folder.find(part);
        if (is != null && !is.isRegularFile()) {
            throw new IOException("cannot be written: a folder or a special file has the name of its part: " + part);
        }
        if (is != null && folder.isOnlyName(part, is)) {
            key = is.fileKey();
            return folder.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }
        if (is != null) {
            folder.delete(part); // removes this name only
        }
        try {
            return folder.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("is being written by another sender", e);
        }
    }

    /**
     * {@return whether the opened part still has its name, and no other name} Another process may have linked or
     * replaced it meanwhile.
     */
    boolean isOwn() throws IOException {
        BasicFileAttributes is = folder.find(part);
        return is != null
                && is.isRegularFile()
                && (key == null || key.equals(is.fileKey()))
                && folder.isOnlyName(part, is);
    }

    /**
     * Gives the complete part the name of the file. The data is on disk before the rename, and the name is on disk when
     * this returns.
     */
    void whole(FileChannel written, FileTime changed) throws IOException {
        folder.setChanged(part, changed);
        written.force(true);
        folder.rename(part, name);
        folder.force();
    }

    void delete() throws IOException {
        folder.delete(part);
    }

    /** {@return free bytes of the file system} */
    long room() throws IOException {
        return Files.getFileStore(folder.path()).getUsableSpace();
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
