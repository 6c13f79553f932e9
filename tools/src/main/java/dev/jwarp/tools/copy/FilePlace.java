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

/** Where a file goes: its name in an open folder, and beside it the part, which is what has come of it until it is whole. One thread. */
final class FilePlace implements Closeable {
    private final OpenFolder folder;
    private final Path name;
    private final Path part;
    /** Which file the part was before it was opened; null: it was made. */
    private @Nullable Object key;

    /** Closes the folder when it is closed. */
    FilePlace(OpenFolder folder, Path name) {
        this.folder = folder;
        this.name = name;
        part = Path.of(ServedFolder.partOf(name.toString()));
    }

    Path path() {
        return folder.path().resolve(name);
    }

    /** {@return what has the name now; null: nothing} */
    @Nullable
    BasicFileAttributes find() throws IOException {
        return folder.find(name);
    }

    /** {@return the part} A file with other names, too, is none: they would have what is written to it. Nothing may be written before {@link #isOwn}. */
    FileChannel open() throws IOException {
        BasicFileAttributes is = folder.find(part);
        if (is != null && !is.isRegularFile()) {
            throw new IOException("has something in its way there that is no file: " + part);
        }
        if (is != null && folder.isOnlyName(part, is)) {
            key = is.fileKey();
            return folder.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }
        if (is != null) {
            folder.delete(part); // this name of it, and no other
        }
        try {
            return folder.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("is being written by another sender", e);
        }
    }

    /** {@return whether the part that was opened is still there, with this name alone} Another process may have given it its own name meanwhile, or have put another file there. */
    boolean isOwn() throws IOException {
        BasicFileAttributes is = folder.find(part);
        return is != null
                && is.isRegularFile()
                && (key == null || key.equals(is.fileKey()))
                && folder.isOnlyName(part, is);
    }

    /** The part is whole. It is on the disk before it has its name, and its name is when this returns. */
    void whole(FileChannel written, FileTime changed) throws IOException {
        folder.setChanged(part, changed);
        written.force(true);
        folder.rename(part, name);
        folder.force();
    }

    void delete() throws IOException {
        folder.delete(part);
    }

    /** {@return bytes that there is room for} */
    long room() throws IOException {
        return Files.getFileStore(folder.path()).getUsableSpace();
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
