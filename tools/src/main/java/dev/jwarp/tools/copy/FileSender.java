package dev.jwarp.tools.copy;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.PeerText;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** Sends files and folders. */
final class FileSender {
    /** Is told of what goes on, and says whether it shall. */
    interface Watcher {
        /** A file begins, of which so much is there already. */
        void begins(String name, long length, long from);

        /** So many more bytes of it have gone. Ends the run if that is wanted. */
        void moved(long bytes);

        /** Something is not copied, or not well, and others go on. */
        void note(Path what, String why);
    }

    private final CopyTalk talk;
    private final boolean oneSided;
    private final Watcher watcher;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(CopyWire.PIECE);
    private final Copied copied = new Copied();
    /** One-sided: pieces that have gone, and whose places are free again. */
    private long sent;

    private long freed;

    FileSender(CopyTalk talk, boolean oneSided, Watcher watcher) throws IOException {
        this.talk = talk;
        this.oneSided = oneSided;
        this.watcher = watcher;
        talk.put((long) CopyWire.MAGIC).put(CopyWire.VERSION).put(oneSided ? CopyWire.ONE_SIDED : CopyWire.STREAM);
        talk.flush();
        answer("the other end", 0);
    }

    Copied copied() {
        return copied;
    }

    /** Sends a file, or a folder with all that is in it. */
    void send(Path source, String name) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                String there = named(folder);
                if (there == null) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                folder(there);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!attributes.isRegularFile()) {
                    leaveOut(file, "is neither file nor folder");
                } else if (ServedFolder.isPart(file.toString())) {
                    leaveOut(file, "is a part of a copy that was interrupted");
                } else {
                    String there = named(file);
                    if (there != null) {
                        file(file, there, attributes);
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException why) {
                fail(file, FileWords.of(why));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException why) {
                if (why != null) {
                    fail(folder, FileWords.of(why));
                }
                return FileVisitResult.CONTINUE;
            }

            /** {@return its name there; null: it cannot have one} */
            private @Nullable String named(Path path) {
                StringBuilder whole = new StringBuilder(name);
                for (Path part : source.relativize(path)) {
                    if (!isText(part)) {
                        fail(path, "has a name that is no text in the character set of this process");
                        return null;
                    }
                    if (!part.toString().isEmpty()) {
                        whole.append('/').append(part);
                    }
                }
                if (whole.toString().getBytes(StandardCharsets.UTF_8).length > CopyWire.LONGEST_PATH) {
                    fail(path, "has a path there that is longer than " + CopyWire.LONGEST_PATH + " bytes");
                    return null;
                }
                if (CopyWire.isTooDeep(whole.toString())) {
                    fail(path, "has a path there of more than " + CopyWire.DEEPEST + " names");
                    return null;
                }
                return whole.toString();
            }
        });
    }

    /** {@return whether the text of it is the same name again} Bytes that are no text are question marks in it. */
    private static boolean isText(Path name) {
        try {
            return name.equals(name.getFileSystem().getPath(name.toString()));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private void leaveOut(Path what, String why) {
        watcher.note(what, why + ", and is left out");
        copied.leftOut++;
    }

    private void fail(Path what, String why) {
        watcher.note(what, why);
        copied.failed++;
    }

    private void folder(String name) throws IOException {
        talk.put(CopyWire.FOLDER).put(name).flush();
        answer(name, 0);
        copied.folders++;
    }

    private void file(Path file, String name, BasicFileAttributes attributes) throws IOException {
        FileChannel from;
        try {
            from = FileChannel.open(file, StandardOpenOption.READ);
        } catch (IOException e) {
            fail(file, FileWords.of(e));
            return;
        }
        try (from) {
            send(from, name, attributes.lastModifiedTime());
            if (from.size() != attributes.size()
                    || !Files.getLastModifiedTime(file).equals(attributes.lastModifiedTime())) {
                fail(file, "changed while it was copied: what is there now may be of both");
            }
        }
    }

    private void send(FileChannel from, String name, FileTime changed) throws IOException {
        long length = from.size();
        talk.put(CopyWire.FILE).put(name).put(length).put(changed.toMillis()).flush();
        answer(name, length);
        long there = talk.takeLong();
        byte[] sum = talk.take(CopyWire.SUM);
        if (there < 0 || there > length) {
            throw noServer();
        }
        MessageDigest whole = CopyWire.sha256();
        long begin = same(from, there, sum, whole, name) ? there : 0;
        if (begin == 0) {
            whole.reset();
        }
        talk.put(begin);
        watcher.begins(name, length, begin);
        data(from, begin, length, whole, name);
        talk.put(whole.digest()).flush();
        answer(name, 0);
        copied.files++;
        copied.bytes += length - begin;
        copied.resumed += begin > 0 ? 1 : 0;
    }

    /** The piece has what the file has there. */
    private void read(FileChannel from, long at, long end, String name) throws IOException {
        try {
            CopyWire.read(from, at, end, piece);
        } catch (IOException e) {
            throw new IOException(name + ": " + FileWords.of(e), e);
        }
    }

    /** {@return whether the file begins with so many bytes of that sum} They are in the sum of the whole then. */
    private boolean same(FileChannel from, long bytes, byte[] sum, MessageDigest whole, String name)
            throws IOException {
        for (long at = 0; at < bytes; at += piece.limit()) {
            read(from, at, bytes, name);
            whole.update(piece.duplicate());
            watcher.moved(0);
        }
        return MessageDigest.isEqual(sum, CopyWire.soFar(whole));
    }

    private void data(FileChannel from, long begin, long length, MessageDigest whole, String name) throws IOException {
        talk.steadily();
        for (long at = begin; at < length; at += piece.limit()) {
            read(from, at, length, name);
            whole.update(piece.duplicate());
            if (oneSided) {
                write(name);
            } else {
                if (talk.heard()) {
                    expectDone(name); // it is refused in the middle
                    throw noServer();
                }
                talk.send(piece);
            }
            watcher.moved(piece.limit());
        }
    }

    /** Writes the piece into its place at the receiver, and says so. */
    private void write(String name) throws IOException {
        if (sent - freed == CopyWire.PLACES) {
            placeIsFree(name);
        }
        talk.sendTo(sent % CopyWire.PLACES * CopyWire.PIECE, piece);
        talk.put(0).flush();
        sent++;
    }

    private void placeIsFree(String name) throws IOException {
        expectDone(name);
        freed++;
    }

    /** No more comes. */
    void end() throws IOException {
        talk.put(CopyWire.END).flush();
        talk.channel().shutdownOutput();
        int said = talk.takeOrEnd();
        if (said >= 0) {
            checkDone(said, "the other end");
            throw noServer();
        }
    }

    /** Waits until it is done; the other end may have to sum up so many bytes before. */
    private void answer(String about, long bytes) throws IOException {
        talk.withinSum(bytes);
        while (freed < sent) {
            placeIsFree(about);
        }
        expectDone(about);
    }

    private void expectDone(String about) throws IOException {
        checkDone(talk.take(), about);
    }

    private void checkDone(int said, String about) throws IOException {
        if (said == CopyWire.REFUSED) {
            throw new IOException(about + ": " + PeerText.harmless(talk.takeText(CopyWire.LONGEST_SENTENCE)));
        }
        if (said != CopyWire.DONE) {
            throw noServer();
        }
    }

    private static ToolFailure noServer() {
        return new ToolFailure(ExitStatus.MISMATCH, "the other end does not speak as 'jwarp cp --serve' does");
    }
}
