package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
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
 * The keys of envelopes (datagram-iWARP §4.8) that tester and device share, from the same file as the device's:
 * one key in a line, with number, {@code send} or {@code receive}, {@code hex:SECRET} or
 * {@code base64:SECRET}, and {@code any} or the networks of its peers. Immutable.
 */
public final class KeyRing {
    private static final int WORDS = 4;

    private final List<Key> keys;

    /**
     * One key.
     *
     * @param id the Key Id
     * @param sends whether the key is for sending, too
     * @param peers networks of the peers that the key is for
     */
    record Key(long id, boolean sends, byte[] secret, Predicate<InetAddress> peers) {}

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
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String said = line.strip();
            if (!said.isEmpty() && !said.startsWith("#")) {
                Key key = key(said.split("\\s+"));
                if (key == null) {
                    throw new IllegalArgumentException(name + ", line " + number
                            + " is no key: number, send or receive, hex:SECRET or base64:SECRET, any or networks");
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
        if (words.length != WORDS || !(words[1].equals("send") || words[1].equals("receive"))) {
            return null;
        }
        try {
            long id = Long.decode(words[0]);
            byte[] secret = secret(words[2]);
            boolean inRange = id >= 0 && id <= 0xFFFF_FFFFL && secret.length > 0;
            return inRange ? new Key(id, words[1].equals("send"), secret, peers(words[3])) : null;
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
        Predicate<InetAddress> all = address -> text.equals("any");
        for (String network : text.equals("any") ? new String[0] : text.split(",")) {
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
        boolean same = start.length == address.length;
        for (int i = 0; i < bits && same; i++) {
            same = ((start[i / 8] ^ address[i / 8]) & (0x80 >> (i % 8))) == 0;
        }
        return same;
    }

    /** The first key for datagrams to that address; null if there is none. */
    @Nullable
    Key sending(InetAddress to) {
        return keys.stream()
                .filter(k -> k.sends() && k.peers().test(to))
                .findFirst()
                .orElse(null);
    }

    /** The state of an envelope's tag. */
    public enum Tag {
        RIGHT,
        WRONG,
        /** The key is not here, so the tag cannot be checked. */
        KEY_UNKNOWN
    }

    /** {@return the state of the tag of a whole envelope, CRC included, by the key that the envelope names} */
    public Tag tagOf(byte[] envelope) {
        Key key = find(Octets.number(envelope, Envelopes.KEY_ID, 4));
        return key == null ? Tag.KEY_UNKNOWN : Envelopes.hasTagOf(key.secret(), envelope) ? Tag.RIGHT : Tag.WRONG;
    }

    /** The key with that number; null if there is none. */
    @Nullable
    Key find(long id) {
        return keys.stream().filter(k -> k.id() == id).findFirst().orElse(null);
    }
}
