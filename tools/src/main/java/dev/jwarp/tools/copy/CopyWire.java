package dev.jwarp.tools.copy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * What the two ends of {@code jwarp cp} say to each other. The one that sends begins: magic, version, whether data go one-sided. Then, for each entry, FOLDER or FILE
 * and its path; of a file length and time of its last change too. The answer is DONE, or REFUSED and a sentence; of a file DONE is followed by how many bytes of it are
 * there already and by 32 random bytes. The sender says from which byte on it sends, which is that one or 0. If that is not 0, the SHA-256 of the random bytes and of as many bytes of
 * its file as are there follows, which shows that it knows them; the receiver, which never tells a sum, answers DONE and from which byte on to send: that one, or 0 if there are others. The sender
 * sends the rest and the SHA-256 of the whole file; the answer is DONE or REFUSED again. END is the last.
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
    /** Names in a path, one in the other. */
    static final int DEEPEST = 256;

    static final int LONGEST_SENTENCE = 4096;
    static final int SUM = 32;

    /** Data go in so long pieces, but for the last of a file. */
    static final int PIECE = 1 << 20;
    /** One-sided, so many of them have a place in memory of the receiver, one behind the other. A byte says that a piece is there, and one that its place is free again. */
    static final int PLACES = 4;

    private static final SecureRandom RANDOM = new SecureRandom();

    private CopyWire() {}

    /** The piece has what the file has there, but nothing behind {@code end}. */
    static void read(FileChannel from, long at, long end, ByteBuffer piece) throws IOException {
        piece.clear().limit((int) Math.min(piece.capacity(), end - at));
        while (piece.hasRemaining()) {
            if (from.read(piece, at + piece.position()) < 0) {
                throw new EOFException("became shorter while it was read");
            }
        }
        piece.flip();
    }

    /** {@return as much of it as may go} */
    static String sentence(String text) {
        int most = LONGEST_SENTENCE / Integer.BYTES;
        return text.length() <= most ? text : text.substring(0, most);
    }

    /** {@return whether that path has more names, one in the other, than may be} */
    static boolean isTooDeep(String path) {
        return path.chars().filter(c -> c == '/').count() >= DEEPEST;
    }

    /** {@return bytes that no peer can know before} */
    static byte[] challenge() {
        byte[] bytes = new byte[SUM];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** {@return a sum with the challenge in it: no sum that was told elsewhere is the same} */
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
