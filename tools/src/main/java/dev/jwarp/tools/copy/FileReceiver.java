package dev.jwarp.tools.copy;

import dev.jwarp.sockets.SharedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives the files of one sender. It writes only into the served folder. */
final class FileReceiver implements AutoCloseable {
    private static final long LOOK_MILLIS = 100;

    /**
     * Longest time to wait for other receivers of the same address. It is shorter than the time that the sender waits
     * for an answer.
     */
    private static final long TURN_NANOS = CopyTalk.PATIENCE_NANOS / 2;

    private final CopyTalk talk;
    private final boolean rdma;
    private final ServedFolder folder;
    private final Lock summing;
    private final Consumer<String> told;
    /** Allocated with the first file. */
    private ByteBuffer piece = ByteBuffer.allocate(0);

    /** One-sided: the places that the sender writes pieces to. */
    private @Nullable ByteBuffer places;

    private @Nullable SharedMemory shared;
    private long came;
    /** Whether the peer is known to be a sender, which understands a refusal. */
    private boolean known;

    /**
     * Creates the receiver; reads nothing.
     *
     * @param rdma whether the channel uses RDMA
     * @param folder the destination of all files
     * @param summing lock of the receivers of one address: only one of them computes the SHA-256 of a part at a time, because a sender
     *     can ask for sums at no cost
     * @param told prints a line about each file
     */
    FileReceiver(CopyTalk talk, boolean rdma, ServedFolder folder, Lock summing, Consumer<String> told) {
        this.talk = talk;
        this.rdma = rdma;
        this.folder = folder;
        this.summing = summing;
        this.told = told;
    }

    /** Receives until the sender ends. */
    void run() throws IOException {
        try {
            takeAll();
        } catch (IOException e) {
            refuse(e instanceof BrokenOff off ? off.why : FileWords.of(e), e);
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
                default -> throw new IOException("the sender sends an entry of unknown kind " + kind);
            }
            kind = nextKind();
        }
        talk.channel().shutdownOutput();
    }

    private int nextKind() throws IOException {
        talk.within(CopyTalk.PATIENCE_NANOS); // the sender may have to search its folders
        int kind = talk.take();
        talk.within(CopyTalk.REQUEST_NANOS);
        return kind;
    }

    private void begin() throws IOException {
        if (talk.takeLong() != CopyWire.MAGIC) {
            throw new IOException("the peer is not 'jwarp cp'");
        }
        int version = talk.take();
        int manner = talk.take();
        known = true;
        if (version != CopyWire.VERSION || manner > CopyWire.ONE_SIDED) {
            throw new IOException("version " + version + " of the protocol with manner " + manner
                    + " is not supported; this is version " + CopyWire.VERSION + " with manners 0 to "
                    + CopyWire.ONE_SIDED);
        }
        if (manner == CopyWire.ONE_SIDED) {
            if (!rdma) {
                throw new IOException("--one-sided needs RDMA, and this server uses TCP");
            }
            ByteBuffer memory = ByteBuffer.allocateDirect(CopyWire.PLACES * CopyWire.PIECE);
            shared = talk.share(memory);
            places = memory;
        }
        talk.put(CopyWire.DONE).flush();
    }

    private void folder() throws IOException {
        folder.make(talk.takeText(CopyWire.LONGEST_PATH));
        talk.put(CopyWire.DONE).flush();
    }

    private void file() throws IOException {
        String name = talk.takeText(CopyWire.LONGEST_PATH);
        long length = talk.takeLong();
        long changed = talk.takeLong();
        if (length < 0) {
            throw new IOException("the length of a file is negative: " + length);
        }
        try (FilePlace place = folder.place(name)) {
            check(place, name);
            if (!folder.claim(place.path())) {
                throw writtenByAnother();
            }
            try {
                write(place, name, length, changed);
            } finally {
                folder.release(place.path());
            }
        }
        talk.put(CopyWire.DONE).flush();
        told.accept(name + ": " + length + " bytes");
    }

    private static void check(FilePlace place, String name) throws IOException {
        BasicFileAttributes is = place.find();
        if (is != null && is.isSymbolicLink()) {
            throw ServedFolder.leadsOut(name);
        }
        if (is != null && is.isDirectory()) {
            throw new IOException("is a folder at the destination: end the path with / to copy into it");
        }
    }

    private static IOException writtenByAnother() {
        return new IOException("is being written by another sender");
    }

    private void write(FilePlace place, String name, long length, long changed) throws IOException {
        try (FileChannel to = place.open();
                FileLock alone = lock(to)) {
            if (alone == null || !place.isOwn()) {
                throw writtenByAnother();
            }
            if (piece.capacity() == 0) {
                piece = ByteBuffer.allocateDirect(CopyWire.PIECE);
            }
            MessageDigest whole = CopyWire.sha256();
            byte[] sum;
            try {
                long begin = agree(to, length, whole);
                data(to, place, begin, length, whole);
                talk.within(CopyTalk.REQUEST_NANOS);
                sum = talk.take(CopyWire.SUM);
            } catch (IOException e) {
                throw to.size() == 0 ? e : new BrokenOff(name, to.size(), length, e);
            }
            if (!MessageDigest.isEqual(sum, whole.digest())) {
                place.delete();
                throw new IOException("arrived with a wrong SHA-256");
            }
            place.whole(to, FileTime.fromMillis(changed));
        }
    }

    /**
     * {@return the offset from which the sender continues} The receiver never sends a sum of its part, because an
     * attacker could compare the sum with any number of guesses. Instead, the sender proves that its file begins with
     * the bytes of the part. After a wrong proof the part is truncated, so an attacker has one guess.
     */
    private long agree(FileChannel to, long length, MessageDigest whole) throws IOException {
        long there = to.size() > length ? 0 : to.size(); // a longer part is of another file
        byte[] challenge = CopyWire.challenge();
        talk.withinSum(there);
        talk.put(CopyWire.DONE).put(there).put(challenge).flush();
        long begin = talk.takeLong();
        if (begin != 0 && begin != there) {
            throw new IOException("the sender continues at byte " + begin + ", but the part has " + there + " bytes");
        }
        boolean goesOn = begin != 0;
        if (goesOn) {
            byte[] proof = talk.take(CopyWire.SUM);
            MessageDigest own = CopyWire.sha256(challenge);
            sum(to, there, whole, own);
            if (!MessageDigest.isEqual(proof, own.digest())) {
                whole.reset();
                begin = 0;
            }
        }
        to.truncate(begin);
        if (goesOn) {
            talk.put(CopyWire.DONE).put(begin).flush();
        }
        return begin;
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private void sum(FileChannel of, long bytes, MessageDigest whole, MessageDigest proof) throws IOException {
        talk.within(CopyTalk.PATIENCE_NANOS); // the sender has sent its proof, and waits
        awaitTurn();
        try {
            for (long at = 0; at < bytes; at += piece.limit()) {
                talk.checkStays();
                CopyWire.read(of, at, bytes, piece);
                whole.update(piece.duplicate());
                proof.update(piece.duplicate());
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
                    throw new IOException(
                            "has waited too long: this server checks the parts of other senders of the same address;"
                                    + " copy again later");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server is ending", e);
        }
    }

    private void data(FileChannel to, FilePlace place, long begin, long length, MessageDigest whole)
            throws IOException {
        talk.steadily();
        for (long at = begin; at < length; ) {
            next((int) Math.min(CopyWire.PIECE, length - at));
            whole.update(piece.duplicate());
            try {
                while (piece.hasRemaining()) {
                    at += to.write(piece, at);
                }
            } catch (IOException e) {
                throw notWritten(to, place, length, e);
            }
        }
    }

    /**
     * {@return the reason why the file could not be written} A full disk is detected by free space, because the
     * system's message is in the user's language.
     */
    private IOException notWritten(FileChannel to, FilePlace place, long length, IOException why) throws IOException {
        if (place.room() >= piece.remaining()) {
            return why;
        }
        return new NoSpace(
                "no space is left at the destination: " + to.size() + " of " + length
                        + " bytes are kept; make room, and copy again to resume",
                why);
    }

    /** Receives the next piece, into private memory: the peer cannot change it between the sum and the write. */
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

    /** No space is left for a file. The message says how much of the file is kept. */
    private static final class NoSpace extends IOException {
        private static final long serialVersionUID = 1L;

        NoSpace(String message, IOException cause) {
            super(message, cause);
        }
    }

    /** A file is incomplete. The message is for the user of the server. */
    static final class BrokenOff extends IOException {
        private static final long serialVersionUID = 1L;

        private final String message;
        private final String kept;
        /** The reason that is sent to the sender. */
        private final String why;

        BrokenOff(String name, long there, long length, IOException cause) {
            super(cause);
            kept = name + ": " + there + " of " + length + " bytes are kept: copy again to resume";
            why = FileWords.of(cause);
            message = cause instanceof NoSpace ? name + ": " + why : why + "; " + kept;
        }

        /** {@return how much is kept, and how to resume} */
        String kept() {
            return kept;
        }

        @Override
        public String getMessage() {
            return message;
        }
    }

    @Override
    public void close() throws IOException {
        // First: while the connection exists, closing shared memory notifies the peer, which may not be reading.
        talk.close();
        if (shared != null) {
            shared.close();
        }
    }
}
