package dev.jwarp.transport.udp.seal;

import dev.jwarp.base.Networks;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.wire.Envelope;
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
 * # number  use      secret                    peers                        algorithm
 * 7         send     hex:5b3c...               192.0.2.0/24,2001:db8::/32
 * 6         receive  base64:q83vASNFZ4k...     any                          hmac-sha-256
 * </pre>
 *
 * <p>The algorithm is aes-128-gcm, which encrypts, unless the line has hmac-sha-256, which only authenticates.
 * <p>Datagrams are sent with the first key with {@code send} whose peers contain the destination; every key is valid
 * for receiving.
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
        if (words.length != WORDS && words.length != WORDS + 1) {
            throw wrong(
                    where,
                    "has " + words.length
                            + " words, but a key has 4 or 5: number, send or receive, secret, peers, algorithm");
        }
        boolean sends = words[1].equals("send");
        if (!sends && !words[1].equals("receive")) {
            throw wrong(where, "has a second word that is neither send nor receive");
        }
        Networks peers = Networks.parse(words[3].equals("any") ? ANY : words[3]);
        if (peers == null) {
            throw wrong(where, "has peers that are neither any nor networks such as 192.0.2.0/24, with commas");
        }
        String algorithm = words.length == WORDS ? GCM : words[WORDS];
        if (!algorithm.equals(GCM) && !algorithm.equals(INTEGRITY)) {
            throw wrong(where, "has an algorithm that is neither " + GCM + " nor " + INTEGRITY);
        }
        int id = id(where, words[0]);
        SecretKeySpec extracted = cipher.extract(secret(where, words[2]));
        return new SealKey(id, sends, extracted, peers, algorithm.equals(GCM));
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

    int size() {
        return keys.size();
    }

    SealKey get(int index) {
        return keys.get(index);
    }

    /** {@return the index of the key with that number; -1 if there is none} */
    int find(int id) {
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }

    /** {@return the index of the key to send to that peer with; -1 if there is none} */
    int sending(DatagramAddress to) {
        for (int i = 0; i < keys.size(); i++) {
            SealKey key = keys.get(i);
            if (key.sends() && (key.isFor(to) || to.group())) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return keys.toString();
    }

    /** One key: number on the wire, secret, and peers. Never reveals its secret. Immutable; any thread. */
    static final class SealKey {
        private final int id;
        private final boolean sends;
        private final Networks peers;
        private final boolean encrypts;
        private final SecretKeySpec extracted;

        SealKey(int id, boolean sends, SecretKeySpec extracted, Networks peers, boolean encrypts) {
            this.id = id;
            this.sends = sends;
            this.peers = peers;
            this.encrypts = encrypts;
            this.extracted = extracted;
        }

        /** {@return the number of the algorithm in an envelope (DG-4.8-13)} */
        int algorithm() {
            return encrypts ? Envelope.AES_128_GCM : Envelope.HMAC_SHA_256_128;
        }

        /** {@return the key from which traffic keys are derived: what HKDF extracts (RFC 5869 §2.2)} */
        SecretKeySpec extracted() {
            return extracted;
        }

        int id() {
            return id;
        }

        /** {@return whether the key is for sending, not only for receiving} */
        boolean sends() {
            return sends;
        }

        /** {@return whether the key is for that peer} */
        boolean isFor(DatagramAddress peer) {
            return peers.contain(peer.high(), peer.low());
        }

        @Override
        public String toString() {
            return "key " + Integer.toUnsignedString(id);
        }
    }
}
