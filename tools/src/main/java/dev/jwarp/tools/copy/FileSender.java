package dev.jwarp.tools.copy;

import dev.jwarp.sockets.JwarpSockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;

/** Sends files and folders. */
final class FileSender {
    /** Is told of what goes on, and says whether it shall. */
    interface Watcher {
        /** A file begins, of which so much is there already. */
        void begins(String name, long length, long from);

        /** So many more bytes of it have gone. Ends the run if that is wanted. */
        void moved(long bytes);

        /** Something that is neither file nor folder is left out. */
        void leftOut(Path what);
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
        answer("the other end");
    }

    Copied copied() {
        return copied;
    }

    /** Sends a file, or a folder with all that is in it. */
    void send(Path source, String name) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                folder(named(folder));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) {
                    file(file, named(file), attributes.lastModifiedTime().toMillis());
                } else {
                    watcher.leftOut(file);
                }
                return FileVisitResult.CONTINUE;
            }

            private String named(Path path) {
                StringBuilder whole = new StringBuilder(name);
                Path within = source.relativize(path);
                for (Path part : within) {
                    if (!part.toString().isEmpty()) {
                        whole.append('/').append(part);
                    }
                }
                return whole.toString();
            }
        });
    }

    private void folder(String name) throws IOException {
        talk.put(CopyWire.FOLDER).put(name).flush();
        answer(name);
        copied.folders++;
    }

    private void file(Path file, String name, long changed) throws IOException {
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            long length = from.size();
            talk.put(CopyWire.FILE).put(name).put(length).put(changed).flush();
            answer(name);
            long there = talk.takeLong();
            byte[] sum = talk.take(CopyWire.SUM);
            MessageDigest whole = CopyWire.sha256();
            long begin = there <= length && same(from, there, sum, whole) ? there : 0;
            if (begin == 0) {
                whole.reset();
            }
            talk.put(begin);
            watcher.begins(name, length, begin);
            data(from, begin, length, whole, name);
            talk.put(whole.digest()).flush();
            answer(name);
            copied.files++;
            copied.bytes += length - begin;
            copied.resumed += begin > 0 ? 1 : 0;
        }
    }

    /** {@return whether the file begins with so many bytes of that sum} They are in the sum of the whole then. */
    private boolean same(FileChannel from, long bytes, byte[] sum, MessageDigest whole) throws IOException {
        for (long at = 0; at < bytes; at += piece.limit()) {
            CopyWire.read(from, at, bytes, piece);
            whole.update(piece.duplicate());
        }
        return MessageDigest.isEqual(sum, CopyWire.soFar(whole));
    }

    private void data(FileChannel from, long begin, long length, MessageDigest whole, String name) throws IOException {
        for (long at = begin; at < length; at += piece.limit()) {
            CopyWire.read(from, at, length, piece);
            whole.update(piece.duplicate());
            if (oneSided) {
                write(name);
            } else {
                if (talk.heard()) {
                    answer(name); // it is refused in the middle
                }
                talk.send(piece);
            }
            watcher.moved(piece.limit());
        }
    }

    /** Writes the piece into its place at the receiver, and says so. */
    private void write(String name) throws IOException {
        talk.flush();
        if (sent - freed == CopyWire.PLACES) {
            placeIsFree(name);
        }
        JwarpSockets.write(talk.channel(), sent % CopyWire.PLACES * CopyWire.PIECE, piece);
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
        if (talk.takeOrEnd() >= 0) {
            throw new IOException("the other end says something behind the end");
        }
    }

    private void answer(String about) throws IOException {
        while (freed < sent) {
            placeIsFree(about);
        }
        expectDone(about);
    }

    private void expectDone(String about) throws IOException {
        int said = talk.take();
        if (said == CopyWire.REFUSED) {
            throw new IOException(about + ": " + talk.takeText(CopyWire.LONGEST_SENTENCE));
        }
        if (said != CopyWire.DONE) {
            throw new IOException("the other end is no 'jwarp cp --serve'");
        }
    }
}
