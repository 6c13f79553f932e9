package dev.jwarp.transport.udp.seal;

import dev.jwarp.base.Networks;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.wire.Envelope;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a transport, in order. Immutable; any thread. The text form has one key a line:
 *
 * <pre>
 * # number  use      secret                    peers                        algorithm     lifetime
 * 7         send     hex:5b3c...               192.0.2.0/24,2001:db8::/32   aes-128-gcm   until=2027-06-30T00:00:00Z
 * 6         receive  base64:q83vASNFZ4k...     any                          hmac-sha-256  bytes=1000000000000
 * </pre>
 *
 * <p>The algorithm is aes-128-gcm, which encrypts, unless the line has hmac-sha-256, which only authenticates. After
 * the time of {@code until} a key is not valid; a port sends at most as many {@code bytes} of envelopes with a key.
 *
 * <p>Datagrams are sent with the first valid key with {@code send} whose peers contain the destination; every valid key
 * is for receiving.
 */
public final class SealKeys {
    /** The least length of a secret in bytes: that of the tag. */
    static final int LEAST_SECRET = 16;
    /** The largest length of a secret in bytes: a block of SHA-256. HMAC only hashes longer secrets. */
    static final int MOST_SECRET = 64;

    private static final long LARGEST_ID = 0xffff_ffffL;
    private static final int WORDS = 4;
    private static final String GCM = "aes-128-gcm";
    private static final String INTEGRITY = "hmac-sha-256";
    private static final String UNTIL = "until=";
    private static final String BYTES = "bytes=";
    private static final String ANY = "0.0.0.0/0,::/0";

    private final List<SealKey> keys;

    private SealKeys(List<SealKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * {@return the keys in a text}
     *
     * @param name the name of the text, for errors
     * @throws IllegalArgumentException whose message names the line and never contains a secret
     */
    public static SealKeys parse(String name, String text) {
        List<SealKey> keys = new ArrayList<>();
        EnvelopeCipher cipher = new EnvelopeCipher();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String said = line.strip();
            if (!said.isEmpty() && !said.startsWith("#")) {
                SealKey key = key(cipher, name + ", line " + number, said.split("\\s+"));
                if (keys.stream().anyMatch(known -> known.id() == key.id())) {
                    throw wrong(name + ", line " + number, "has " + key + " a second time: give each its own number");
                }
                keys.add(key);
            }
        }
        if (keys.stream().noneMatch(SealKey::sends)) {
            throw wrong(name, "has no key to send with: write a line such as \"1 send hex:SECRET any\"");
        }
        return new SealKeys(keys);
    }

    private static SealKey key(EnvelopeCipher cipher, String where, String[] words) {
        if (words.length < WORDS) {
            throw wrong(
                    where,
                    "has " + words.length + " words, but a key has at least 4: number, send or receive, secret, peers");
        }
        boolean sends = words[1].equals("send");
        if (!sends && !words[1].equals("receive")) {
            throw wrong(where, "has a second word that is neither send nor receive");
        }
        Networks peers = Networks.parse(words[3].equals("any") ? ANY : words[3]);
        if (peers == null) {
            throw wrong(where, "has peers that are neither any nor networks such as 192.0.2.0/24, with commas");
        }
        boolean encrypts = true;
        long until = Long.MAX_VALUE;
        long bytes = Long.MAX_VALUE;
        for (String word : List.of(words).subList(WORDS, words.length)) {
            if (word.startsWith(UNTIL)) {
                until = until(where, word.substring(UNTIL.length()));
            } else if (word.startsWith(BYTES)) {
                bytes = bytes(where, word.substring(BYTES.length()));
            } else if (word.equals(GCM) || word.equals(INTEGRITY)) {
                encrypts = word.equals(GCM);
            } else {
                throw wrong(
                        where,
                        "has a word behind its peers that is none of " + GCM + ", " + INTEGRITY + ", " + UNTIL
                                + "TIME, " + BYTES + "NUMBER");
            }
        }
        int id = id(where, words[0]);
        SecretKeySpec extracted = cipher.extract(secret(where, words[2]));
        return new SealKey(id, sends, extracted, peers, encrypts, until, bytes);
    }

    private static long until(String where, String text) {
        try {
            return Instant.parse(text).getEpochSecond();
        } catch (DateTimeParseException e) {
            throw wrong(where, "has a time behind " + UNTIL + " that is not one such as 2027-06-30T00:00:00Z");
        }
    }

    private static long bytes(String where, String text) {
        try {
            long bytes = Long.parseLong(text);
            if (bytes > 0) {
                return bytes;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw wrong(where, "has a number behind " + BYTES + " that is not one such as 1000000000000");
    }

    private static int id(String where, String text) {
        try {
            long id = Long.decode(text);
            if (id >= 0 && id <= LARGEST_ID) {
                return (int) id;
            }
        } catch (NumberFormatException e) {
            // reported below without the text, which may be a secret in the wrong place
        }
        throw wrong(where, "does not begin with a key's number, 0 to 4294967295");
    }

    private static byte[] secret(String where, String text) {
        byte[] secret = decoded(text);
        if (secret == null) {
            throw wrong(where, "has a secret that is neither hex: with hexadecimal digits nor base64: with base64");
        }
        if (secret.length < LEAST_SECRET || secret.length > MOST_SECRET) {
            throw wrong(
                    where,
                    "has a secret of " + secret.length + " bytes: a secret has " + LEAST_SECRET + " to " + MOST_SECRET
                            + ", such as 32 from /dev/urandom");
        }
        return secret;
    }

    private static byte @Nullable [] decoded(String text) {
        int colon = text.indexOf(':');
        String rest = text.substring(colon + 1);
        try {
            return switch (text.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT)) {
                case "hex" -> HexFormat.of().parseHex(rest);
                case "base64" -> Base64.getDecoder().decode(rest);
                default -> null;
            };
        } catch (IllegalArgumentException e) {
            return null; // the exception's message contains the secret
        }
    }

    private static IllegalArgumentException wrong(String where, String what) {
        return new IllegalArgumentException(where + " " + what);
    }

    List<SealKey> list() {
        return keys;
    }

    @Override
    public String toString() {
        return keys.toString();
    }

    /**
     * One key. Never reveals its secret.
     *
     * @param id the number on the wire
     * @param sends whether the key is for sending, not only for receiving
     * @param extracted the key from which traffic keys are derived: what HKDF extracts (RFC 5869 §2.2)
     * @param encrypts whether the algorithm is AES-128-GCM, not HMAC-SHA-256
     * @param untilSeconds the second since 1970 from which on the key is not valid
     * @param bytes the most bytes that a port sends with the key
     */
    record SealKey(
            int id,
            boolean sends,
            SecretKeySpec extracted,
            Networks peers,
            boolean encrypts,
            long untilSeconds,
            long bytes) {
        /** {@return whether datagrams of both keys are the same, whatever the use, peers and lifetimes} */
        boolean isSame(SealKey other) {
            return id == other.id && encrypts == other.encrypts && extracted.equals(other.extracted);
        }

        /** {@return whether the key is for a datagram to that peer or group} */
        boolean sendsTo(DatagramAddress to, boolean group) {
            return sends && (group || isFor(to));
        }

        /** {@return the number of the algorithm in an envelope (DG-K.2-1)} */
        int algorithm() {
            return encrypts ? Envelope.AES_128_GCM : Envelope.HMAC_SHA_256_128;
        }

        /** {@return whether the key is for datagrams from or to that peer} */
        boolean isFor(DatagramAddress peer) {
            return peers.contain(peer.high(), peer.low());
        }

        @Override
        public String toString() {
            return "key " + Integer.toUnsignedString(id);
        }
    }
}
