package dev.jwarp.transport.udp.seal;

import dev.jwarp.transport.udp.wire.Envelope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The algorithms of envelopes (datagram-iWARP §K.2), for one direction of a port. Owner only. The JDK allocates for each
 * datagram.
 */
final class EnvelopeCipher {
    private static final int TAG = Envelope.TAG_LENGTH;
    private static final int NONCE = 12;
    private static final int GCM_KEY = 16;
    private static final int INFO = 21;
    private static final String HMAC = "HmacSHA256";
    private static final SecretKeySpec SALT = hmacKey("datagram-iwarp 1".getBytes(StandardCharsets.US_ASCII));

    private final Mac mac;
    private final Cipher cipher;
    private final ByteBuffer nonce = ByteBuffer.allocate(NONCE);
    private final ByteBuffer info = ByteBuffer.allocate(INFO + 1);
    /** The key that the Mac has. */
    private @Nullable SecretKeySpec present;

    EnvelopeCipher() {
        try {
            mac = Mac.getInstance(HMAC);
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    private static SecretKeySpec hmacKey(byte[] octets) {
        return new SecretKeySpec(octets, HMAC);
    }

    /** {@return the pseudo-random key of HKDF (RFC 5869 §2.2)} */
    SecretKeySpec extract(byte[] secret) {
        start(SALT);
        return hmacKey(mac.doFinal(secret));
    }

    /** {@return the traffic key of a sender in an epoch} One step of HKDF-Expand (RFC 5869 §2.3, DG-K.5-1). */
    TrafficKey derive(SealKeys.SealKey from, long origin, long epoch) {
        info.clear().put((byte) from.algorithm()).putInt(from.id());
        info.putLong(origin).putLong(epoch).put((byte) 1);
        start(from.extracted());
        byte[] key = mac.doFinal(info.array());
        boolean encrypts = from.encrypts();
        return new TrafficKey(encrypts, epoch, encrypts ? new SecretKeySpec(key, 0, GCM_KEY, "AES") : hmacKey(key));
    }

    /**
     * Protects the octets of an envelope.
     *
     * @param octets the envelope from its octet 0 on; its tag is written at {@code end}
     * @param end the end of what is protected
     */
    void protect(TrafficKey key, byte[] octets, int end, long sequence) {
        if (!key.encrypts()) {
            System.arraycopy(tag(key, octets, end), 0, octets, end, TAG);
            return;
        }
        try {
            start(Cipher.ENCRYPT_MODE, key, octets, sequence);
            cipher.doFinal(octets, Envelope.REST_OFFSET, end - Envelope.REST_OFFSET, octets, Envelope.REST_OFFSET);
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    /** {@return whether the tag at {@code end} is right (DG-K.7-4)} If so, the octets are what was protected. */
    boolean restore(TrafficKey key, byte[] octets, int end, long sequence) {
        if (!key.encrypts()) {
            byte[] wanted = Arrays.copyOf(tag(key, octets, end), TAG);
            // The whole tag, in constant time.
            return MessageDigest.isEqual(wanted, Arrays.copyOfRange(octets, end, end + TAG));
        }
        int rest = end + TAG - Envelope.REST_OFFSET;
        try {
            start(Cipher.DECRYPT_MODE, key, octets, sequence);
            cipher.doFinal(octets, Envelope.REST_OFFSET, rest, octets, Envelope.REST_OFFSET);
            return true;
        } catch (AEADBadTagException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    private byte[] tag(TrafficKey key, byte[] octets, int end) {
        start(key.key());
        mac.update(octets, 0, end);
        return mac.doFinal();
    }

    @SuppressWarnings("ReferenceEquality") // the very object that the Mac has
    private void start(SecretKeySpec key) {
        if (present != key) {
            try {
                mac.init(key);
                present = key;
            } catch (GeneralSecurityException e) {
                throw failed(e);
            }
        }
    }

    private void start(int mode, TrafficKey key, byte[] octets, long sequence) throws GeneralSecurityException {
        nonce.putLong(NONCE - Long.BYTES, sequence);
        cipher.init(mode, key.key(), new GCMParameterSpec(TAG * Byte.SIZE, nonce.array()));
        cipher.updateAAD(octets, 0, Envelope.REST_OFFSET);
    }

    private static IllegalStateException failed(GeneralSecurityException cause) {
        return new IllegalStateException(
                "HMAC-SHA-256 or AES-128-GCM of this JDK failed: " + cause.getMessage(), cause);
    }
}
