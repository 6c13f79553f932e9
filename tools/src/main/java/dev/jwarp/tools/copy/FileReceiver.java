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

/** Takes what one sender sends, into one folder and nowhere else. */
final class FileReceiver implements AutoCloseable {
    private static final long LOOK_MILLIS = 100;

    /** Longest time to wait for others of the same address: less than the sender waits for its answer. */
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
        folder.make(talk.takeText(CopyWire.LONGEST_PATH));
        talk.put(CopyWire.DONE).flush();
    }

    private void file() throws IOException {
        String name = talk.takeText(CopyWire.LONGEST_PATH);
        long length = talk.takeLong();
        long changed = talk.takeLong();
        if (length < 0) {
            throw new IOException("a file has no " + length + " bytes");
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
            throw new IOException("is a folder there: end the path with / to copy into it");
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
                throw new IOException("came with another SHA-256 than it was sent with");
            }
            place.whole(to, FileTime.fromMillis(changed));
        }
    }

    /**
     * {@return from which byte on the sender sends} A sum of what is there is never told: a stranger could compare it with as many guesses as it likes. The sender shows that its file begins
     * with the same bytes; if it does not, what is there is cut off, and a stranger has one guess.
     */
    private long agree(FileChannel to, long length, MessageDigest whole) throws IOException {
        long there = to.size() > length ? 0 : to.size(); // a longer one is no part of it
        byte[] challenge = CopyWire.challenge();
        talk.withinSum(there);
        talk.put(CopyWire.DONE).put(there).put(challenge).flush();
        long begin = talk.takeLong();
        if (begin != 0 && begin != there) {
            throw new IOException("the sender goes on at byte " + begin + ", and there are " + there);
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
        talk.within(CopyTalk.PATIENCE_NANOS); // the sender has done its part, and waits
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
                    throw new IOException("has to wait for what other senders of its address go on from:"
                            + " copy again when they are done");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("is to end", e);
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

    /** {@return what says why the file could not be written any further} The system's words are in a language of its own. */
    private IOException notWritten(FileChannel to, FilePlace place, long length, IOException why) throws IOException {
        if (place.room() >= piece.remaining()) {
            return why;
        }
        return new NoSpace(
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

    /** There is no room for a file. Its message says what stays. */
    private static final class NoSpace extends IOException {
        private static final long serialVersionUID = 1L;

        NoSpace(String message, IOException cause) {
            super(message, cause);
        }
    }

    /** A file did not come whole. Its message is for who serves. */
    static final class BrokenOff extends IOException {
        private static final long serialVersionUID = 1L;

        private final String message;
        private final String kept;
        /** What the sender is told. */
        private final String why;

        BrokenOff(String name, long there, long length, IOException cause) {
            super(cause);
            kept = "of " + name + " " + there + " of " + length
                    + " bytes have come, and stay: a copy that is sent again goes on from them";
            why = FileWords.of(cause);
            message = cause instanceof NoSpace ? name + ": " + why : why + "; " + kept;
        }

        /** {@return what stays, and what to do} */
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
        talk.close(); // first: a peer is told of what it may not write to any more as long as the connection is
        // there, and may not listen
        if (shared != null) {
            shared.close();
        }
    }
}
