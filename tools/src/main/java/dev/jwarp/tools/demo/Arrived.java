package dev.jwarp.tools.demo;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** What arrived by one operation, compared with the original. One thread. */
final class Arrived {
    private final MessageDigest digest = Sha256.create();
    private ByteBuffer expected = ByteBuffer.allocate(0);
    private byte @Nullable [] sha256;
    private @Nullable Difference first;

    /**
     * A byte that is not as it should be.
     *
     * @param offset in the file, from 0
     * @param expected as it is in the original, 0 to 255
     * @param actual as it arrived, 0 to 255
     */
    record Difference(long offset, int expected, int actual) {
        @Override
        public String toString() {
            return String.format("offset %d: 0x%02x became 0x%02x", offset, expected, actual);
        }
    }

    /**
     * Takes the next part.
     *
     * @param place in the file
     * @param got from position 0 to its limit; neither is changed
     */
    void take(long place, ByteBuffer got, Content original) {
        digest.update(got.duplicate());
        if (expected.capacity() < got.limit()) {
            expected = ByteBuffer.allocate(got.limit());
        }
        original.read(place, expected.clear().limit(got.limit()));
        int wrong = expected.flip().mismatch(got);
        if (wrong >= 0 && first == null) {
            first = new Difference(place + wrong, expected.get(wrong) & 0xff, got.get(wrong) & 0xff);
        }
    }

    /** {@return the hash of what arrived} */
    byte[] sha256() {
        sha256 = sha256 == null ? digest.digest() : sha256;
        return sha256;
    }

    /** {@return the first byte that is not as it should be; null if all are} */
    @Nullable
    Difference difference() {
        return first;
    }
}
