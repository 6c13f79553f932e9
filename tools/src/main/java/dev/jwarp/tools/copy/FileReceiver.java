package dev.jwarp.tools.copy;

import dev.jwarp.sockets.SharedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes what one sender sends, into one folder and nowhere else. */
final class FileReceiver implements AutoCloseable {
    private static final long LOOK_MILLIS = 100;

    /** So long others of its address are waited for: less than the sender waits for its answer. */
    private static final long TURN_NANOS = CopyTalk.PATIENCE_NANOS / 2;

    private final CopyTalk talk;
    private final boolean rdma;
    private final ServedFolder folder;
    private final Lock summing;
    private final Consumer<String> told;
    /** Made with the first file: who sends none does not take it. */
    private ByteBuffer piece = ByteBuffer.allocate(0);

    /** One-sided: the places of the pieces, which the sender writes to. */
    private @Nullable ByteBuffer places;

    private @Nullable SharedMemory shared;
    private long came;
    /** The peer is a sender: it knows what to do with a refusal. */
    private boolean known;

    /**
     * Takes nothing yet.
     *
     * @param rdma whether the channel is of RDMA
     * @param folder where all goes
     * @param summing held by the one receiver of a peer's address that sums up what is there: it costs a sender nothing to ask for that
     * @param told takes a line about each file
     */
    FileReceiver(CopyTalk talk, boolean rdma, ServedFolder folder, Lock summing, Consumer<String> told) {
        this.talk = talk;
        this.rdma = rdma;
        this.folder = folder;
        this.summing = summing;
        this.told = told;
    }

    /** Takes all, until the sender ends. */
    void run() throws IOException {
        try {
            takeAll();
        } catch (IOException e) {
            refuse(FileWords.of(e), e);
            throw e;
        } catch (OutOfMemoryError e) {
            refuse("there is no memory left: " + e.getMessage(), e);
            throw e;
        }
    }

    private void refuse(String sentence, Throwable why) {
        try {
            talk.takeLeave(known ? sentence : null);
        } catch (IOException e) {
            why.addSuppressed(e); // the sender has gone
        }
    }

    private void takeAll() throws IOException {
        talk.within(CopyTalk.REQUEST_NANOS);
        begin();
        int kind = nextKind();
        while (kind != CopyWire.END) {
            switch (kind) {
                case CopyWire.FOLDER -> folder();
                case CopyWire.FILE -> file();
                default -> throw new IOException("the sender speaks of an entry of kind " + kind);
            }
            kind = nextKind();
        }
        talk.channel().shutdownOutput();
    }

    private int nextKind() throws IOException {
        talk.within(CopyTalk.PATIENCE_NANOS); // the sender may have to look for it
        int kind = talk.take();
        talk.within(CopyTalk.REQUEST_NANOS);
        return kind;
    }

    private void begin() throws IOException {
        if (talk.takeLong() != CopyWire.MAGIC) {
            throw new IOException("this is no 'jwarp cp'");
        }
        int version = talk.take();
        int manner = talk.take();
        known = true;
        if (version != CopyWire.VERSION || manner > CopyWire.ONE_SIDED) {
            throw new IOException("version " + version + " of the protocol, or manner " + manner
                    + ", is not known here, only version " + CopyWire.VERSION);
        }
        if (manner == CopyWire.ONE_SIDED) {
            if (!rdma) {
                throw new IOException("one-sided is RDMA's, and this is TCP");
            }
            ByteBuffer memory = ByteBuffer.allocateDirect(CopyWire.PLACES * CopyWire.PIECE);
            shared = talk.share(memory);
            places = memory;
        }
        talk.put(CopyWire.DONE).flush();
    }

    private void folder() throws IOException {
        folder.make(folder.place(talk.takeText(CopyWire.LONGEST_PATH)));
        talk.put(CopyWire.DONE).flush();
    }

    private void file() throws IOException {
        String name = talk.takeText(CopyWire.LONGEST_PATH);
        long length = talk.takeLong();
        long changed = talk.takeLong();
        if (length < 0) {
            throw new IOException("a file has no " + length + " bytes");
        }
        Path target = folder.place(name);
        if (Files.isDirectory(target)) {
            throw new IOException("is a folder there: end the path with / to copy into it");
        }
        if (!folder.claim(target)) {
            throw new IOException("is being written by another sender");
        }
        try {
            write(target, length, changed);
        } finally {
            folder.release(target);
        }
        talk.put(CopyWire.DONE).flush();
        told.accept(name + ": " + length + " bytes");
    }

    private void write(Path target, long length, long changed) throws IOException {
        Path part = ServedFolder.part(target);
        try (FileChannel to = FileChannel.open(
                        part,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS);
                FileLock alone = lock(to)) {
            // Another process that serves this folder may have given it its name meanwhile.
            if (alone == null || !Files.exists(part)) {
                throw new IOException("is being written by another sender");
            }
            receive(to, part, length);
            Files.setLastModifiedTime(part, FileTime.fromMillis(changed));
            to.force(true); // first: a name must not be there without the bytes, whatever happens to this machine
            move(part, target);
            ServedFolder.force(target.resolveSibling("."));
        }
    }

    private static void move(Path part, Path target) throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void receive(FileChannel to, Path part, long length) throws IOException {
        MessageDigest whole = CopyWire.sha256();
        long there = to.size() > length ? 0 : to.size(); // a longer one is no part of it
        sum(to, there, whole);
        talk.withinSum(there);
        talk.put(CopyWire.DONE).put(there).put(CopyWire.soFar(whole)).flush();
        long begin = talk.takeLong();
        if (begin == 0) {
            whole.reset();
        } else if (begin != there) {
            throw new IOException("the sender goes on at byte " + begin + ", and there are " + there);
        }
        to.truncate(begin);
        data(to, part, begin, length, whole);
        talk.within(CopyTalk.REQUEST_NANOS);
        if (!MessageDigest.isEqual(talk.take(CopyWire.SUM), whole.digest())) {
            Files.delete(part);
            throw new IOException("came with another SHA-256 than it was sent with");
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
        if (piece.capacity() == 0) {
            piece = ByteBuffer.allocateDirect(CopyWire.PIECE);
        }
        if (bytes == 0) {
            return;
        }
        awaitTurn();
        try {
            for (long at = 0; at < bytes; at += piece.limit()) {
                talk.checkStays();
                CopyWire.read(of, at, bytes, piece);
                into.update(piece.duplicate());
            }
        } finally {
            summing.unlock();
        }
    }

    private void awaitTurn() throws IOException {
        try {
            while (!summing.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                talk.checkStays();
                if (talk.sinceStep() > TURN_NANOS) {
                    throw new IOException("has to wait for what other senders of its address go on from:"
                            + " copy again when they are done");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("is to end", e);
        }
    }

    private void data(FileChannel to, Path part, long begin, long length, MessageDigest whole) throws IOException {
        talk.steadily();
        for (long at = begin; at < length; ) {
            next((int) Math.min(CopyWire.PIECE, length - at));
            whole.update(piece.duplicate());
            try {
                while (piece.hasRemaining()) {
                    at += to.write(piece, at);
                }
            } catch (IOException e) {
                throw notWritten(to, part, length, e);
            }
        }
    }

    /** {@return what says why the file could not be written any further} The system's words are in a language of its own. */
    private IOException notWritten(FileChannel to, Path part, long length, IOException why) throws IOException {
        if (Files.getFileStore(part).getUsableSpace() >= piece.remaining()) {
            return why;
        }
        return new IOException(
                "no space is left where it goes: " + to.size() + " of its " + length
                        + " bytes are there, and stay; make room, and copy again to go on from them",
                why);
    }

    /** The piece is the next one. It is in memory of our own: what is summed up is what is written, whatever the peer does. */
    private void next(int bytes) throws IOException {
        piece.clear().limit(bytes);
        ByteBuffer memory = places;
        if (memory == null) {
            talk.take(piece);
        } else {
            talk.take();
            talk.moved(bytes);
            piece.put(memory.slice((int) (came++ % CopyWire.PLACES) * CopyWire.PIECE, bytes));
            talk.put(CopyWire.DONE).flush(); // the place is free
        }
        piece.flip();
    }

    @Override
    public void close() throws IOException {
        talk.close(); // first: a peer is told of what it may not write to any more as long as the connection is
        // there, and may not listen
        if (shared != null) {
            shared.close();
        }
    }
}
