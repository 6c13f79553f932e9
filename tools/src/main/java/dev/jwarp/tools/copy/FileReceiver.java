package dev.jwarp.tools.copy;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.SharedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes what one sender sends, into one folder and nowhere else. */
final class FileReceiver implements AutoCloseable {
    private static final String PART = ".jwcp-part";

    private final CopyTalk talk;
    private final Path root;
    private final Consumer<String> told;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(CopyWire.PIECE);
    /** One-sided: the places of the pieces, which the sender writes to. */
    private @Nullable ByteBuffer places;

    private @Nullable SharedMemory shared;
    private long came;

    /**
     * Takes nothing yet.
     *
     * @param root a folder that is there
     * @param told takes a line about each file
     */
    FileReceiver(CopyTalk talk, Path root, Consumer<String> told) throws IOException {
        this.talk = talk;
        this.root = root.toRealPath();
        this.told = told;
    }

    /** Takes all, until the sender ends. */
    void run() throws IOException {
        try {
            takeAll();
        } catch (IOException e) {
            // What was said last is to arrive: a connection that is closed before all is read is reset.
            talk.channel().shutdownOutput();
            talk.forget();
            throw e;
        }
    }

    private void takeAll() throws IOException {
        begin();
        int kind = talk.take();
        while (kind != CopyWire.END) {
            switch (kind) {
                case CopyWire.FOLDER -> folder();
                case CopyWire.FILE -> file();
                default -> throw new IOException("the sender speaks of an entry of kind " + kind);
            }
            kind = talk.take();
        }
        talk.channel().shutdownOutput();
    }

    private void begin() throws IOException {
        if (talk.takeLong() != CopyWire.MAGIC) {
            throw new IOException("this is no 'jwarp cp'");
        }
        int version = talk.take();
        int manner = talk.take();
        if (version != CopyWire.VERSION || manner > CopyWire.ONE_SIDED) {
            refuse("version " + version + " of the protocol is not known here, only " + CopyWire.VERSION);
            throw new IOException("the sender speaks version " + version);
        }
        if (manner == CopyWire.ONE_SIDED) {
            places = ByteBuffer.allocateDirect(CopyWire.PLACES * CopyWire.PIECE);
            shared = JwarpSockets.share(talk.channel(), places, 0);
        }
        talk.put(CopyWire.DONE).flush();
    }

    private void refuse(String sentence) throws IOException {
        talk.put(CopyWire.REFUSED)
                .put(
                        sentence.length() <= CopyWire.LONGEST_SENTENCE / Integer.BYTES
                                ? sentence
                                : sentence.substring(0, CopyWire.LONGEST_SENTENCE / Integer.BYTES))
                .flush();
    }

    private void folder() throws IOException {
        String name = talk.takeText(CopyWire.LONGEST_PATH);
        try {
            Files.createDirectories(inRoot(name));
        } catch (IOException e) {
            refuse(sentence(e));
            throw e;
        }
        talk.put(CopyWire.DONE).flush();
    }

    /** {@return where in the root that is; its folder is made, if it is not there} */
    private Path inRoot(String name) throws IOException {
        Path folder = root;
        Path path = root;
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.endsWith(PART)) {
                throw new IOException("'" + name + "' is no path within the folder that is served");
            }
            try {
                folder = path;
                path = path.resolve(part);
            } catch (InvalidPathException e) {
                throw new IOException("'" + name + "' is no path here", e);
            }
        }
        Files.createDirectories(folder);
        if (!folder.toRealPath().startsWith(root) || Files.isSymbolicLink(path)) {
            throw new IOException("'" + name + "' leads out of the folder that is served");
        }
        return path;
    }

    private void file() throws IOException {
        String name = talk.takeText(CopyWire.LONGEST_PATH);
        long length = talk.takeLong();
        long changed = talk.takeLong();
        try {
            Path target = inRoot(name);
            if (Files.isDirectory(target)) {
                throw new IOException("is a folder there: end the path with / to copy into it");
            }
            Path part = target.resolveSibling("." + target.getFileName() + PART);
            if (Files.isSymbolicLink(part)) {
                throw new IOException("leads out of the folder that is served");
            }
            receive(part, length);
            Files.setLastModifiedTime(part, FileTime.fromMillis(changed));
            move(part, target);
        } catch (IOException e) {
            refuse(sentence(e));
            throw e;
        }
        talk.put(CopyWire.DONE).flush();
        told.accept(name + ": " + length + " bytes");
    }

    private static void move(Path part, Path target) throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String sentence(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    private void receive(Path part, long length) throws IOException {
        try (FileChannel to = FileChannel.open(
                        part, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock alone = lock(to)) {
            if (alone == null) {
                throw new IOException("is being written by another sender");
            }
            MessageDigest whole = CopyWire.sha256();
            long there = Math.min(to.size(), length);
            sum(to, there, whole);
            talk.put(CopyWire.DONE).put(there).put(CopyWire.soFar(whole)).flush();
            long begin = talk.takeLong();
            if (begin == 0) {
                whole.reset();
            } else if (begin != there) {
                throw new IOException("the sender goes on at byte " + begin + ", and there are " + there);
            }
            to.truncate(begin);
            data(to, begin, length, whole);
            if (!MessageDigest.isEqual(talk.take(CopyWire.SUM), whole.digest())) {
                Files.delete(part);
                throw new IOException("came with another SHA-256 than it was sent with");
            }
        }
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private void sum(FileChannel of, long bytes, MessageDigest into) throws IOException {
        for (long at = 0; at < bytes; at += piece.limit()) {
            CopyWire.read(of, at, bytes, piece);
            into.update(piece.duplicate());
        }
    }

    private void data(FileChannel to, long begin, long length, MessageDigest whole) throws IOException {
        for (long at = begin; at < length; ) {
            int bytes = (int) Math.min(CopyWire.PIECE, length - at);
            ByteBuffer next = next(bytes);
            whole.update(next.duplicate());
            while (next.hasRemaining()) {
                at += to.write(next, at);
            }
            if (places != null) {
                talk.put(0).flush();
            }
        }
    }

    /** {@return the next piece, until the one after it} */
    private ByteBuffer next(int bytes) throws IOException {
        ByteBuffer memory = places;
        if (memory == null) {
            talk.take(piece.clear().limit(bytes));
            return piece.flip();
        }
        talk.take();
        return memory.slice((int) (came++ % CopyWire.PLACES) * CopyWire.PIECE, bytes);
    }

    @Override
    public void close() throws IOException {
        if (shared != null) {
            shared.close();
        }
        talk.close();
    }
}
