package dev.jwarp.tools.copy;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.PeerText;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sends files and folders. */
final class FileSender {
    /** Observes the progress of a copy, and may end the copy. */
    interface Watcher {
        /** A file begins, of which the receiver already has {@code from} bytes. */
        void begins(String name, long length, long from);

        /** Counts more sent bytes. Throws {@link dev.jwarp.tools.cli.EndedEarly} if the user wants the run to end. */
        void moved(long bytes);

        /** A file or folder is not copied, or changed meanwhile. The copy continues with the next one. */
        void note(Path what, String why);
    }

    private final CopyTalk talk;
    private final boolean oneSided;
    private final Watcher watcher;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(CopyWire.PIECE);
    private final Totals totals = new Totals();
    /** One-sided: numbers of sent pieces, and of pieces whose places are free again. */
    private long sent;

    private long freed;

    /** The file that is being sent; empty if there is none. */
    private String current = "";
    /** Bytes of the current file that the receiver had, or that were sent. */
    private long gone;

    private long ofLength;
    private boolean over;

    FileSender(CopyTalk talk, boolean oneSided, Watcher watcher) throws IOException {
        this.talk = talk;
        this.oneSided = oneSided;
        this.watcher = watcher;
        talk.put((long) CopyWire.MAGIC).put(CopyWire.VERSION).put(oneSided ? CopyWire.ONE_SIDED : CopyWire.STREAM);
        talk.flush();
        answer("the other end", 0);
    }

    Totals totals() {
        return totals;
    }

    /**
     * Sends a file, or a folder with all that is in it.
     *
     * @param source path of the file or folder, which is not a link
     */
    void send(Path source, String name) throws IOException {
        if (Files.isDirectory(source)) {
            folder(() -> OpenFolder.of(source), source, name);
        } else {
            Path entry = source.getFileName();
            send(OpenFolder.around(source), entry == null ? source : entry, name);
        }
    }

    /** Opens a folder. */
    @FunctionalInterface
    private interface Opening {
        OpenFolder folder() throws IOException;
    }

    private void folder(Opening opening, Path path, String name) throws IOException {
        OpenFolder opened;
        try {
            opened = opening.folder();
        } catch (IOException e) {
            fail(path, FileWords.of(e));
            return;
        }
        try (OpenFolder folder = opened) {
            if (fits(path, name)) {
                folder(name);
                entries(folder, name);
            }
        }
    }

    private void entries(OpenFolder folder, String name) throws IOException {
        try {
            for (Iterator<Path> entries = folder.names(); entries.hasNext(); ) {
                Path entry = entries.next().getFileName();
                send(folder, entry, name + "/" + entry);
            }
        } catch (DirectoryIteratorException e) {
            fail(folder.path(), FileWords.of(Objects.requireNonNull(e.getCause())));
        }
    }

    private void send(OpenFolder in, Path entry, String name) throws IOException {
        Path path = in.path().resolve(entry);
        BasicFileAttributes is;
        try {
            is = in.attributes(entry);
        } catch (IOException e) {
            fail(path, FileWords.of(e));
            return;
        }
        if (!is.isRegularFile() && !is.isDirectory()) {
            leaveOut(path, "is neither a file nor a folder");
        } else if (ServedFolder.isPart(entry.toString())) {
            leaveOut(path, "is a part of an interrupted copy");
        } else if (!isText(entry)) {
            fail(path, "has a name that the character set of this process cannot represent");
        } else if (is.isDirectory()) {
            folder(() -> in.folder(entry), path, name);
        } else if (fits(path, name)) {
            file(in, entry, name, is);
        }
    }

    /** {@return whether the receiver accepts the length and depth of that name} */
    private boolean fits(Path path, String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length > CopyWire.LONGEST_PATH) {
            fail(path, "has a path at the destination that is longer than " + CopyWire.LONGEST_PATH + " bytes");
            return false;
        }
        if (CopyWire.isTooDeep(name)) {
            fail(path, "has a path at the destination of more than " + CopyWire.DEEPEST + " names");
            return false;
        }
        return true;
    }

    /** {@return whether the name survives conversion to text} Bytes that are not valid text become question marks. */
    private static boolean isText(Path name) {
        try {
            return name.equals(name.getFileSystem().getPath(name.toString()));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private void leaveOut(Path what, String why) {
        watcher.note(what, why + ", and is skipped");
        totals.leftOut++;
    }

    private void fail(Path what, String why) {
        watcher.note(what, why);
        totals.failed++;
    }

    private void folder(String name) throws IOException {
        talk.put(CopyWire.FOLDER).put(name).flush();
        answer(name, 0);
        totals.folders++;
    }

    private void file(OpenFolder in, Path entry, String name, BasicFileAttributes is) throws IOException {
        Path path = in.path().resolve(entry);
        FileChannel from;
        try {
            from = in.open(entry, StandardOpenOption.READ);
        } catch (IOException e) {
            fail(path, FileWords.of(e));
            return;
        }
        try (from) {
            send(from, name, is.lastModifiedTime());
            BasicFileAttributes now = in.find(entry);
            if (now == null
                    || from.size() != is.size()
                    || !now.lastModifiedTime().equals(is.lastModifiedTime())) {
                fail(path, "changed while it was copied: the copy may be a mixture of old and new data");
            }
        }
    }

    private void send(FileChannel from, String name, FileTime changed) throws IOException {
        long length = from.size();
        talk.put(CopyWire.FILE).put(name).put(length).put(changed.toMillis()).flush();
        answer(name, 0);
        long there = talk.takeLong();
        byte[] challenge = talk.take(CopyWire.SUM);
        if (there < 0 || there > length) {
            throw noServer();
        }
        current = name;
        gone = there;
        ofLength = length;
        MessageDigest whole = CopyWire.sha256();
        long begin = agree(from, there, challenge, whole, name);
        gone = begin;
        watcher.begins(name, length, begin);
        data(from, begin, length, whole, name);
        talk.put(whole.digest()).flush();
        answer(name, 0);
        current = "";
        totals.files++;
        totals.bytes += length - begin;
        totals.resumed += begin > 0 ? 1 : 0;
    }

    /** Fills the piece from the file at {@code at}. */
    private void read(FileChannel from, long at, long end, String name) throws IOException {
        try {
            CopyWire.read(from, at, end, piece);
        } catch (IOException e) {
            throw new IOException(name + ": " + FileWords.of(e), e);
        }
    }

    /**
     * {@return the offset to continue from} Sends the proof that the file begins with the bytes of the receiver's part,
     * and adds those bytes to the sum of the whole file.
     */
    private long agree(FileChannel from, long there, byte[] challenge, MessageDigest whole, String name)
            throws IOException {
        if (there == 0) {
            talk.put(0L);
            return 0;
        }
        MessageDigest proof = CopyWire.sha256(challenge);
        for (long at = 0; at < there; at += piece.limit()) {
            read(from, at, there, name);
            whole.update(piece.duplicate());
            proof.update(piece.duplicate());
            watcher.moved(0);
        }
        talk.put(there).put(proof.digest()).flush();
        answer(name, there);
        long begin = talk.takeLong();
        if (begin == 0) {
            whole.reset();
        } else if (begin != there) {
            throw noServer();
        }
        return begin;
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
                    expectDone(name); // the receiver has refused the file
                    throw noServer();
                }
                talk.send(piece);
            }
            gone += piece.limit();
            watcher.moved(piece.limit());
        }
    }

    /** Writes the piece into its place in the receiver's memory, and notifies the receiver. */
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

    /** Tells the receiver that all is sent. */
    void end() throws IOException {
        talk.put(CopyWire.END).flush();
        talk.channel().shutdownOutput();
        int said = talk.takeOrEnd();
        if (said >= 0) {
            checkDone(said, "the other end");
            throw noServer();
        }
        over = true;
    }

    /**
     * {@return how much the receiver keeps if the copy ends now, and how to resume; null if the copy is complete or was
     * refused}
     */
    @Nullable
    String kept() {
        if (over) {
            return null;
        }
        boolean one = totals.files == 1;
        String whole = totals.files == 0 ? "" : one ? "1 file is complete; " : totals.files + " files are complete; ";
        if (current.isEmpty()) {
            return whole.isEmpty()
                    ? "no file was sent: run the same command again"
                    : whole + "copy the missing files: the same command sends " + (one ? "it" : "them") + " again, too";
        }
        return whole + current + ": " + gone + " of " + ofLength
                + " bytes are sent, and received bytes are kept: the same command resumes there"
                + (whole.isEmpty() ? "" : ", and sends the complete file" + (one ? "" : "s") + " again");
    }

    /** Waits for DONE. The receiver may have to sum up so many bytes before it answers. */
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
            over = true;
            throw new IOException(about + ": " + PeerText.harmless(talk.takeText(CopyWire.LONGEST_SENTENCE)));
        }
        if (said != CopyWire.DONE) {
            throw noServer();
        }
    }

    private ToolFailure noServer() {
        over = true;
        return new ToolFailure(ExitStatus.MISMATCH, "the other end does not speak as 'jwarp cp --serve' does");
    }

    /** Totals of a run. The names are those of the JSON document. */
    static final class Totals {
        public long files;
        public long folders;
        /** Bytes sent by this run, without bytes that the receiver already had. */
        public long bytes;
        /** Resumed files. */
        public long resumed;

        /** Skipped entries: neither files nor folders, or parts of other copies. */
        public long leftOut;
        /** Files and folders that could not be read, or that changed meanwhile. */
        public long failed;

        public long nanos;
    }
}
