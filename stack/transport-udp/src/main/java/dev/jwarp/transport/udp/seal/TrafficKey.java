package dev.jwarp.transport.udp.seal;

import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one sender's datagrams in one epoch (datagram-iWARP §K.5): derived from the secret that both ends have, so
 * that no two ports use a key with the same number. Immutable.
 *
 * @param encrypts whether the key is for AES-128-GCM, not for HMAC-SHA-256
 */
record TrafficKey(boolean encrypts, long epoch, SecretKeySpec key) {
    /** An epoch has 2^22 datagrams, half of what RFC 9001 §6.6 allows for AES-128-GCM. */
    private static final int EPOCH_SHIFT = 22;

    /** {@return the epoch of a datagram with that number} */
    static long epoch(long sequence) {
        return sequence >>> EPOCH_SHIFT;
    }
}
