package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tester's end of the envelopes (datagram-iWARP §4.8) between the tester and one port of the device. Puts datagrams
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
    /** The part of the inner datagram after the shim, without its CRC. */
    public static final int REST = 52;

    public static final int TAG = 16;
    /** Size of the shortest envelope. */
    public static final int SHORTEST = REST + TAG + Datagram.CRC;
    /** Difference in size between an envelope and its datagram. */
    public static final int AROUND = REST - Datagram.SHIM + TAG;

    private static final int HMAC_SHA_256_128 = 1;
    private static final long FRESH_SECONDS = 300;

    private final KeyRing keys;
    private final KeyRing.Key key;
    private final long origin;
    private long next = 1;
    private final Set<String> heard = new HashSet<>();
    private byte[] last = new byte[SHORTEST];

    Envelopes(KeyRing keys, KeyRing.Key key, Random random) {
        this.keys = keys;
        this.key = key;
        origin = random.nextLong();
    }

    /** Whether bytes look like an envelope. */
    static boolean is(byte[] octets) {
        return octets.length >= SHORTEST && octets[0] == OCTET;
    }

    /** The datagram in an envelope, with a CRC. Nothing is checked. */
    static byte[] within(byte[] envelope) {
        return Objects.requireNonNull(Datagram.parse(envelope).within()).bytes();
    }

    /** The part of an envelope that the tag covers, with the next Sequence. */
    public Datagram around(byte[] datagram) {
        Datagram d = Datagram.parse(datagram);
        byte[] covered = new Octets()
                .u8(OCTET)
                .add(d.slice(1, Datagram.SHIM))
                .u32(key.id())
                .add(d.slice(0, 1))
                .u8(HMAC_SHA_256_128)
                .u16(datagram.length + AROUND)
                .u64(origin)
                .u64(next++)
                .u32(now())
                .add(d.slice(Datagram.SHIM, d.size() - Datagram.CRC))
                .zeros(Datagram.CRC)
                .bytes();
        return Datagram.parse(covered);
    }

    /** The bytes of an envelope: the part that the tag covers, a right tag and a right CRC. */
    public byte[] tagged(Datagram covered) {
        return tagged(covered, key.secret());
    }

    /** The same with the tag of a secret that the device does not have. */
    public byte[] forged(Datagram covered) {
        byte[] other = key.secret().clone();
        other[other.length - 1] ^= 1;
        return tagged(covered, other);
    }

    static byte[] tagged(Datagram covered, byte[] secret) {
        int end = covered.size() - Datagram.CRC;
        return covered.insert(end, tag(secret, covered.slice(0, end))).bytes();
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
        unless("DG-4.8-11", is(octets), "an envelope around each datagram of a port with keys (§4.8)", it);
        Datagram e = Datagram.parse(octets);
        unless("DG-4.1-2", Datagram.crcGood(octets), "an envelope with a right CRC (§4.1)", it);
        unless("DG-4.8-3", e.get(LENGTH, 2) == octets.length, "an envelope with its own length: " + octets.length, it);
        KeyRing.Key with = keys.find(e.get(KEY_ID, 4));
        unless("DG-4.8-1", with != null, "an envelope with a key of both ends", it);
        unless("DG-4.8-1", e.get(ALGORITHM, 1) == HMAC_SHA_256_128, "algorithm 1: HMAC-SHA-256-128", it);
        boolean right = with != null && hasTagOf(with.secret(), octets);
        unless("DG-4.8-1", right, "an envelope with a right tag", it);
        int late = (int) (e.get(TIME, 4) - now());
        unless("DG-4.8-1", Math.abs(late) <= FRESH_SECONDS, "the present time, within 300 s", late + " s: " + it);
        unless("DG-4.8-9", e.get(SEQUENCE, 8) > 0, "a Sequence of at least 1", it);
        boolean fresh = heard.add(Octets.hex(e.slice(KEY_ID, WITHIN)) + Octets.hex(e.slice(ORIGIN, TIME)));
        unless("DG-4.8-9", fresh, "each Sequence of an origin once", it);
        last = octets.clone();
        return within(octets);
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

    /** {@return whether an envelope has the tag of that secret} */
    static boolean hasTagOf(byte[] secret, byte[] envelope) {
        int end = envelope.length - Datagram.CRC - TAG;
        byte[] right = tag(secret, Arrays.copyOf(envelope, end));
        return MessageDigest.isEqual(right, Arrays.copyOfRange(envelope, end, end + TAG));
    }

    /** The tag: an HMAC (RFC 2104), cut to its first 16 bytes. */
    private static byte[] tag(byte[] secret, byte[] covered) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return Arrays.copyOf(mac.doFinal(covered), TAG);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA-256", e);
        }
    }
}
