package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The tester's end of the envelopes (datagram-iWARP §K.3) between the tester and one port of the device. Puts datagrams
 * of the tester into envelopes, with right or given numbers, and takes datagrams of the device out of envelopes. Not
 * thread-safe.
 */
public final class Envelopes {
    /** Byte 0: version 1, Kind 9. */
    public static final int OCTET = 0x19;

    public static final int KEY_ID = 24;
    /** Byte 0 of the inner datagram. */
    public static final int WITHIN = 28;

    public static final int ALGORITHM = 29;
    public static final int LENGTH = 30;
    public static final int ORIGIN = 32;
    public static final int SEQUENCE = 40;
    public static final int TIME = 48;
    public static final int RECEIVER = 52;
    /** The part of the inner datagram after the shim, without its CRC. */
    public static final int REST = 60;

    /** Size of the two numbers of a greeting, Asks and Answers. */
    public static final int NUMBER = 16;

    public static final int TAG = 16;
    /** Size of the shortest envelope. */
    public static final int SHORTEST = REST + TAG + Datagram.CRC;
    /** Difference in size between an envelope and its datagram. */
    public static final int AROUND = REST - Datagram.SHIM + TAG;

    /** Size of the content of a greeting, as if it were a datagram. */
    public static final int GREETING = Datagram.SHIM + 2 * NUMBER + Datagram.CRC;

    static final int HMAC_SHA_256_128 = 1;
    static final int AES_128_GCM = 2;

    private static final String HMAC = "HmacSHA256";
    private static final byte[] SALT = "datagram-iwarp 1".getBytes(StandardCharsets.US_ASCII);
    /** An epoch has 2^22 Sequences. */
    private static final int EPOCH = 22;

    private static final long FRESH_SECONDS = 300;

    private final KeyRing keys;
    private final KeyRing.Key key;
    private final long origin;
    private long next = 1;
    private long receiver;
    private final byte[] asks = new byte[NUMBER];
    private final Set<String> heard = new HashSet<>();
    private byte[] last = new byte[SHORTEST];

    Envelopes(KeyRing keys, KeyRing.Key key, Random random) {
        this.keys = keys;
        this.key = key;
        origin = random.nextLong() | 1;
        random.nextBytes(asks);
    }

    /** Whether a greeting has told the origin of the device's port. */
    public boolean greeted() {
        return receiver != 0;
    }

    /** The part of a greeting in front of the tag: the question for the device's origin, and an answer. */
    public Datagram greeting(byte[] answers) {
        byte[] asking = greeted() ? new byte[NUMBER] : asks;
        Datagram greeting = around(new Octets()
                .zeros(Datagram.SHIM)
                .add(asking)
                .add(answers)
                .zeros(Datagram.CRC)
                .bytes());
        boolean answer = !Arrays.equals(answers, new byte[NUMBER]);
        return answer ? greeting.put(RECEIVER, 8, origin()) : greeting;
    }

    /** Whether the content of an envelope is a greeting, not a datagram. */
    public static boolean isGreeting(byte[] within) {
        return within[0] == 0;
    }

    /**
     * The number that a greeting of the device asks to be answered with, 0 if it asks nothing; null if the envelope has
     * a datagram.
     */
    byte @Nullable [] heard(byte[] within) {
        if (!isGreeting(within)) {
            return null;
        }
        unless("DG-K.7-2", within.length == GREETING, "a greeting of 112 bytes", Words.line(last));
        int answers = Datagram.SHIM + NUMBER;
        if (Arrays.equals(Arrays.copyOfRange(within, answers, answers + NUMBER), asks)) {
            receiver = origin();
        }
        return Arrays.copyOfRange(within, Datagram.SHIM, answers);
    }

    /** Whether bytes look like an envelope. */
    static boolean is(byte[] octets) {
        return octets.length >= SHORTEST && octets[0] == OCTET;
    }

    /** The part of an envelope in front of the tag, not encrypted, with the next Sequence. */
    public Datagram around(byte[] datagram) {
        Datagram d = Datagram.parse(datagram);
        byte[] covered = new Octets()
                .u8(OCTET)
                .add(d.slice(1, Datagram.SHIM))
                .u32(key.id())
                .add(d.slice(0, 1))
                .u8(key.algorithm())
                .u16(datagram.length + AROUND)
                .u64(origin)
                .u64(next++)
                .u32(now())
                .u64(receiver)
                .add(d.slice(Datagram.SHIM, d.size() - Datagram.CRC))
                .zeros(Datagram.CRC)
                .bytes();
        return Datagram.parse(covered);
    }

    /** The bytes of an envelope: that part, encrypted if the key encrypts, a right tag and a right CRC. */
    public byte[] tagged(Datagram covered) {
        return tagged(covered, key);
    }

    /** The same with a secret that the device does not have. */
    public byte[] forged(Datagram covered) {
        byte[] other = key.secret().clone();
        other[other.length - 1] ^= 1;
        return tagged(covered, new KeyRing.Key(key.id(), true, other, key.peers(), key.algorithm()));
    }

    /** The same for the other algorithm, with the same key. */
    public byte[] otherAlgorithm(Datagram covered) {
        int other = HMAC_SHA_256_128 + AES_128_GCM - key.algorithm();
        return tagged(
                covered.put(ALGORITHM, 1, other), new KeyRing.Key(key.id(), true, key.secret(), key.peers(), other));
    }

    /** The same with each key that a device has for datagrams from that address. */
    public List<byte[]> taggedWithEach(Supplier<Datagram> covered, InetAddress from) {
        return keys.receiving(from).stream()
                .map(k -> tagged(covered.get().put(KEY_ID, 4, k.id()).put(ALGORITHM, 1, k.algorithm()), k))
                .toList();
    }

    static byte[] tagged(Datagram covered, KeyRing.Key key) {
        byte[] bare = covered.slice(0, covered.size() - Datagram.CRC);
        return Datagram.parse(Arrays.copyOf(sealed(key, bare), bare.length + TAG + Datagram.CRC))
                .bytes();
    }

    /** A datagram in an envelope. */
    public byte[] seal(byte[] datagram) {
        return tagged(around(datagram));
    }

    /** The Sequence of the next envelope. */
    public long next() {
        return next;
    }

    /** Sets the Sequence of the next envelope. */
    public void next(long sequence) {
        next = sequence;
    }

    /** A Key Id that the device does not know. */
    public long unknownKey() {
        long id = key.id();
        while (keys.find(id) != null) {
            id = (id + 1) & 0xFFFF_FFFFL;
        }
        return id;
    }

    /** The present time in an envelope: seconds since 1970, modulo 2^32. */
    public static long now() {
        return System.currentTimeMillis() / 1000 & 0xFFFF_FFFFL;
    }

    /** Checks an envelope of the device, and returns the datagram in it. */
    byte[] open(byte[] octets) {
        String it = Words.line(octets);
        unless("DG-K.6-1", is(octets), "an envelope around each datagram of a port with keys (§K.6)", it);
        Datagram e = Datagram.parse(octets);
        unless("DG-4.1-2", Datagram.crcGood(octets), "an envelope with a right CRC (§4.1)", it);
        unless("DG-K.7-2", e.get(LENGTH, 2) == octets.length, "an envelope with its own length: " + octets.length, it);
        KeyRing.Key with = keys.find(e.get(KEY_ID, 4));
        unless("DG-K.1-1", with != null, "an envelope with a key of both ends", it);
        int algorithm = with == null ? 0 : with.algorithm();
        unless("DG-K.1-1", e.get(ALGORITHM, 1) == algorithm, "the algorithm of the key, " + algorithm, it);
        byte[] within = with == null ? null : open(with, octets);
        unless("DG-K.1-1", within != null, "an envelope with a right tag", it);
        int late = (int) (e.get(TIME, 4) - now());
        unless("DG-K.1-1", Math.abs(late) <= FRESH_SECONDS, "the present time, within 300 s", late + " s: " + it);
        unless("DG-K.6-2", e.get(SEQUENCE, 8) > 0, "a Sequence of at least 1", it);
        boolean fresh = heard.add(Octets.hex(e.slice(KEY_ID, WITHIN)) + Octets.hex(e.slice(ORIGIN, TIME)));
        unless("DG-K.6-2", fresh, "each Sequence of an origin once", it);
        long to = e.get(RECEIVER, 8);
        boolean asked = octets[WITHIN] == 0;
        unless("DG-K.7-8", to == origin || (asked && to == 0), "the tester's origin as Receiver", it);
        last = octets.clone();
        return Objects.requireNonNull(within);
    }

    private static void unless(String requirement, boolean so, String expected, String actual) {
        if (!so) {
            throw Deviation.from(requirement, expected, actual);
        }
    }

    /** The latest envelope of the device, as it arrived. */
    public byte[] last() {
        return last.clone();
    }

    /** The origin of the latest envelope of the device. */
    public long origin() {
        return Octets.number(last, ORIGIN, 8);
    }

    /** {@return the datagram in an envelope, with a CRC; null if Algorithm or tag is not of that key} */
    static byte @Nullable [] open(KeyRing.Key key, byte[] envelope) {
        if (envelope[ALGORITHM] != key.algorithm()) {
            return null;
        }
        int end = envelope.length - Datagram.CRC - TAG;
        byte[] bare = Arrays.copyOf(envelope, end);
        byte[] whole = Arrays.copyOf(envelope, end + TAG);
        if (key.algorithm() == AES_128_GCM) {
            byte[] plain = gcm(Cipher.DECRYPT_MODE, key, whole);
            return plain == null ? null : within(plain).bytes();
        }
        return Arrays.equals(sealed(key, bare), whole) ? within(bare).bytes() : null;
    }

    /** The datagram in an envelope up to its tag, which is not encrypted. */
    static Datagram within(byte[] bare) {
        return Datagram.parse(new Octets()
                .add(Arrays.copyOfRange(bare, WITHIN, WITHIN + 1))
                .add(Arrays.copyOfRange(bare, 1, Datagram.SHIM))
                .add(Arrays.copyOfRange(bare, REST, bare.length))
                .zeros(Datagram.CRC)
                .bytes());
    }

    /** An envelope with its tag, without CRC. */
    private static byte[] sealed(KeyRing.Key key, byte[] bare) {
        if (key.algorithm() == AES_128_GCM) {
            return Objects.requireNonNull(gcm(Cipher.ENCRYPT_MODE, key, bare));
        }
        byte[] tag = Arrays.copyOf(hmac(traffic(key, bare), bare), TAG);
        return new Octets().add(bare).add(tag).bytes();
    }

    /** §4.8: the traffic key, by HKDF (RFC 5869) with one step of expansion. */
    private static byte[] traffic(KeyRing.Key key, byte[] envelope) {
        byte[] info = new Octets()
                .u8(key.algorithm())
                .add(Arrays.copyOfRange(envelope, KEY_ID, WITHIN))
                .add(Arrays.copyOfRange(envelope, ORIGIN, SEQUENCE))
                .u64(Octets.number(envelope, SEQUENCE, 8) >>> EPOCH)
                .u8(1)
                .bytes();
        return hmac(hmac(SALT, key.secret()), info);
    }

    private static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA-256", e);
        }
    }

    /** An envelope up to its tag, encrypted or decrypted; null if its tag is wrong. */
    private static byte @Nullable [] gcm(int mode, KeyRing.Key key, byte[] envelope) {
        byte[] nonce = new Octets()
                .zeros(4)
                .add(Arrays.copyOfRange(envelope, SEQUENCE, TIME))
                .bytes();
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            SecretKeySpec traffic = new SecretKeySpec(traffic(key, envelope), 0, 16, "AES");
            cipher.init(mode, traffic, new GCMParameterSpec(8 * TAG, nonce));
            cipher.updateAAD(envelope, 0, REST);
            return new Octets()
                    .add(Arrays.copyOf(envelope, REST))
                    .add(cipher.doFinal(envelope, REST, envelope.length - REST))
                    .bytes();
        } catch (AEADBadTagException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }
}
