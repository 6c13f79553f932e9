package dev.jwarp.tools.copy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The protocol of {@code jwarp cp}. The sender begins with magic, version and {@link #STREAM} or {@link #ONE_SIDED},
 * and then sends an entry for each folder and file.
 * An entry is FOLDER or FILE and the path; a file has its length and the time of its last change, too. The receiver
 * answers DONE, or REFUSED and a sentence. For a file DONE is followed by the number of bytes that the receiver already
 * has, and by a challenge of 32 random bytes.
 * The sender then sends the offset from which it continues: that number, or 0. If the offset is not 0, a proof follows:
 * the SHA-256 of the challenge and of that many bytes of the file. The receiver never sends a sum itself. It answers
 * DONE and the offset to continue from: the same one, or 0 if the proof is wrong.
 * The sender sends the rest of the file and the SHA-256 of the whole file, and the receiver answers DONE or REFUSED.
 * After the last entry the sender sends END.
 */
final class CopyWire {
    static final int MAGIC = 0x6A77_6370; // "jwcp"
    static final int VERSION = 1;

    static final int STREAM = 0;
    static final int ONE_SIDED = 1;

    static final int END = 0;
    static final int FOLDER = 1;
    static final int FILE = 2;

    static final int DONE = 0;
    static final int REFUSED = 1;

    static final int LONGEST_PATH = 4096;
    /** Most names in a path. */
    static final int DEEPEST = 256;

    static final int LONGEST_SENTENCE = 4096;
    static final int SUM = 32;

    /** Bytes of a piece of data; the last piece of a file may be shorter. */
    static final int PIECE = 1 << 20;
    /**
     * One-sided: the number of adjacent places for pieces in the receiver's memory. The sender sends a byte after it
     * has written a piece, and the receiver sends a byte when the place is free again.
     */
    static final int PLACES = 4;

    private static final SecureRandom RANDOM = new SecureRandom();

    private CopyWire() {}

    /** Fills the piece from the file at {@code at}, at most up to {@code end}. */
    static void read(FileChannel from, long at, long end, ByteBuffer piece) throws IOException {
        piece.clear().limit((int) Math.min(piece.capacity(), end - at));
        while (piece.hasRemaining()) {
            if (from.read(piece, at + piece.position()) < 0) {
                throw new EOFException("became shorter while it was read");
            }
        }
        piece.flip();
    }

    /** {@return the text, shortened to the longest that may be sent} */
    static String sentence(String text) {
        int most = LONGEST_SENTENCE / Integer.BYTES;
        return text.length() <= most ? text : text.substring(0, most);
    }

    /** {@return whether a path has more than {@link #DEEPEST} names} */
    static boolean isTooDeep(String path) {
        return path.chars().filter(c -> c == '/').count() >= DEEPEST;
    }

    /** {@return random bytes that no peer can predict} */
    static byte[] challenge() {
        byte[] bytes = new byte[SUM];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** {@return a SHA-256 that begins with the challenge, so that a proof cannot be replayed} */
    static MessageDigest sha256(byte[] challenge) {
        MessageDigest sum = sha256();
        sum.update(challenge);
        return sum;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
