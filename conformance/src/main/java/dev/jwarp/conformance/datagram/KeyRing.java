package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of envelopes (datagram-iWARP §K.2) that tester and device share, from the same file as the device's:
 * one key in a line, with number, {@code send} or {@code receive}, {@code hex:SECRET} or
 * {@code base64:SECRET}, {@code any} or the networks of its peers, and the algorithm: {@code aes-128-gcm} unless it is
 * {@code hmac-sha-256}. Immutable.
 */
public final class KeyRing {
    private static final int WORDS = 4;
    private static final List<String> ALGORITHMS = List.of("hmac-sha-256", "aes-128-gcm");

    private final List<Key> keys;

    /**
     * One key.
     *
     * @param id the Key Id
     * @param sends whether the key is for sending, too
     * @param peers networks of the peers that the key is for
     * @param algorithm the Algorithm of its envelopes
     */
    record Key(long id, boolean sends, byte[] secret, Predicate<InetAddress> peers, int algorithm) {}

    private KeyRing(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * {@return the keys in a file}
     *
     * @throws IllegalArgumentException with a sentence that reveals no secret
     */
    public static KeyRing read(Path file) {
        try {
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read (" + e.getMessage() + ")", e);
        }
    }

    /**
     * {@return the keys in a text}
     *
     * @param name name of the text, for messages
     * @throws IllegalArgumentException with a sentence that reveals no secret
     */
    public static KeyRing parse(String name, String text) {
        List<Key> keys = new ArrayList<>();
        List<String> lines = text.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).isEmpty() && !lines.get(i).startsWith("#")) {
                Key key = key(lines.get(i).split("\\s+"));
                if (key == null) {
                    throw new IllegalArgumentException(name + ", line " + (i + 1)
                            + " is no key: number, send or receive, hex:SECRET or base64:SECRET, any or networks,"
                            + " aes-128-gcm or hmac-sha-256");
                }
                keys.add(key);
            }
        }
        if (keys.stream().noneMatch(Key::sends)) {
            throw new IllegalArgumentException(
                    name + " has no key to send with: write a line such as \"1 send hex:SECRET any\"");
        }
        return new KeyRing(keys);
    }

    private static @Nullable Key key(String[] words) {
        int algorithm = Envelopes.AES_128_GCM;
        for (int i = WORDS; i < words.length; i++) {
            // The tester has no lifetimes.
            algorithm = words[i].matches("(until|bytes)=.*") ? algorithm : 1 + ALGORITHMS.indexOf(words[i]);
        }
        boolean form = words.length >= WORDS && algorithm > 0;
        if (!form || !(words[1].equals("send") || words[1].equals("receive"))) {
            return null;
        }
        try {
            long id = Long.decode(words[0]);
            byte[] secret = secret(words[2]);
            boolean inRange = id >= 0 && id <= 0xFFFF_FFFFL && secret.length > 0;
            return inRange ? new Key(id, words[1].equals("send"), secret, peers(words[3]), algorithm) : null;
        } catch (IllegalArgumentException | UnknownHostException e) {
            return null; // the exception's message may contain the secret
        }
    }

    private static byte[] secret(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.startsWith("hex:")) {
            return HexFormat.of().parseHex(text.substring(4));
        }
        return lower.startsWith("base64:") ? Base64.getDecoder().decode(text.substring(7)) : new byte[0];
    }

    private static Predicate<InetAddress> peers(String text) throws UnknownHostException {
        if (text.equals("any")) {
            return address -> true;
        }
        Predicate<InetAddress> all = address -> false;
        for (String network : List.of(text.split(","))) {
            int slash = network.indexOf('/');
            String host = slash < 0 ? network : network.substring(0, slash);
            if (!host.matches("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
                throw new IllegalArgumentException("no address"); // names are not resolved
            }
            byte[] start = InetAddress.getByName(host).getAddress();
            int bits = slash < 0 ? 8 * start.length : Integer.parseInt(network.substring(slash + 1));
            if (bits < 0 || bits > 8 * start.length) {
                throw new IllegalArgumentException("no prefix");
            }
            all = all.or(address -> within(start, bits, address.getAddress()));
        }
        return all;
    }

    private static boolean within(byte[] start, int bits, byte[] address) {
        return start.length == address.length
                && new BigInteger(1, start).xor(new BigInteger(1, address)).bitLength() <= 8 * start.length - bits;
    }

    /** The first key for datagrams to that address; null if there is none. */
    @Nullable
    Key sending(InetAddress to) {
        return keys.stream()
                .filter(k -> k.sends() && k.peers().test(to))
                .findFirst()
                .orElse(null);
    }

    /** The keys for datagrams from that address. */
    List<Key> receiving(InetAddress from) {
        return keys.stream().filter(k -> k.peers().test(from)).toList();
    }

    /** {@return the Algorithm of the key that an envelope names; 0 if the key is not here} */
    public int algorithmFor(byte[] envelope) {
        Key key = find(Octets.number(envelope, Envelopes.KEY_ID, 4));
        return key == null ? 0 : key.algorithm();
    }

    /** {@return the datagram in a whole envelope, CRC included; null if its key is not here, or Algorithm or tag is not of it} */
    public byte @Nullable [] open(byte[] envelope) {
        Key key = find(Octets.number(envelope, Envelopes.KEY_ID, 4));
        return key == null ? null : Envelopes.open(key, envelope);
    }

    /** The key with that number; null if there is none. */
    @Nullable
    Key find(long id) {
        return keys.stream().filter(k -> k.id() == id).findFirst().orElse(null);
    }
}
