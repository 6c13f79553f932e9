package dev.jwarp.ddp;

import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Generates STags by a keyed permutation of a counter. As a permutation it repeats no number within 2^32; as the key is
 * random, a peer that knows some numbers cannot guess others. One thread at a time.
 *
 * <p>The permutation is a balanced Feistel network over two halves of 16 bits whose round function is AES, as in the
 * format-preserving ciphers of NIST SP 800-38G, with their ten rounds.
 */
final class STagSequence {
    private static final int ROUNDS = 10;
    private static final int BLOCK = 16;

    private final Cipher aes;
    private final byte[] block = new byte[BLOCK];
    private final byte[] encrypted = new byte[BLOCK];
    private int counter;

    /**
     * Creates a sequence.
     *
     * @param randomness source of the key: a {@code SecureRandom} in production, a seeded generator for reproducible
     *     runs
     */
    STagSequence(RandomGenerator randomness) {
        byte[] key = new byte[BLOCK];
        randomness.nextBytes(key);
        try {
            // ECB is safe here: AES is a round function on single, distinct blocks, not an encryption of data.
            aes = Cipher.getInstance("AES/ECB/NoPadding");
            aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no AES, which every Java must have: check its providers", e);
        }
    }

    /** {@return the next number; none repeats within 2^32 calls} */
    int next() {
        // SEC-6.1.1-2, DG-17-1: hard to guess, and not reused within 2^32 calls.
        return permute(counter++);
    }

    /** {@return the number at place {@code index} of the sequence} */
    int permute(int index) {
        int left = index >>> 16;
        int right = index & 0xffff;
        for (int round = 0; round < ROUNDS; round++) {
            int mixed = left ^ roundFunction(round, right);
            left = right;
            right = mixed;
        }
        return left << 16 | right;
    }

    private int roundFunction(int round, int half) {
        block[0] = (byte) round;
        block[1] = (byte) (half >>> 8);
        block[2] = (byte) half;
        try {
            aes.update(block, 0, BLOCK, encrypted, 0);
        } catch (ShortBufferException e) {
            throw new IllegalStateException("AES wrote more than one block", e);
        }
        return (encrypted[0] & 0xff) << 8 | (encrypted[1] & 0xff);
    }
}
