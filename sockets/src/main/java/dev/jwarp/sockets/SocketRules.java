package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.sockets.datagram.DatagramMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rules that select the transport of streams and datagrams. The first matching rule applies. Without a matching rule
 * streams use RDMA, and datagrams either protocol. A rule is a line, or ends with a semicolon:
 *
 * <pre>
 *   connect 10.0.0.0/8:*       rdma
 *   connect *:443              tcp
 *   listen  [2001:db8::1]:9092 rdma
 *   *       *:7000-7999        rdma-or-tcp
 * </pre>
 */
public final class SocketRules {
    private static final Pattern RULE_ENDS = Pattern.compile("[;\n]");
    private static final Pattern SPACES = Pattern.compile("\\s+");

    private final List<Rule> rules;

    private SocketRules(List<Rule> rules) {
        this.rules = rules;
    }

    private enum Side {
        CONNECT,
        LISTEN,
        BOTH
    }

    /**
     * A rule.
     *
     * @param address null for any
     * @param prefix length of the address prefix in bits
     */
    private record Rule(
            Side side, byte @Nullable [] address, int prefix, int firstPort, int lastPort, SocketMode mode) {
        boolean fits(Side asked, InetSocketAddress to) {
            return (side == Side.BOTH || side == asked)
                    && to.getPort() >= firstPort
                    && to.getPort() <= lastPort
                    && (address == null || fits(address, to.getAddress().getAddress()));
        }

        private boolean fits(byte[] wanted, byte[] asked) {
            if (wanted.length != asked.length) {
                return false;
            }
            for (int bit = 0; bit < prefix; bit++) {
                int mask = 0x80 >> bit % Byte.SIZE;
                if ((wanted[bit / Byte.SIZE] & mask) != (asked[bit / Byte.SIZE] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * {@return the rules of the property {@code jwarp.sockets.rules}}
     *
     * @throws IllegalArgumentException names the wrong rule and its fault
     */
    public static SocketRules ofProcess() {
        String told = SocketSetting.RULES.value();
        if (!told.startsWith("@")) {
            return of(told);
        }
        try {
            return of(Files.readString(Path.of(told.substring(1))));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    SocketSetting.RULES.key() + " names a file that cannot be read: " + told.substring(1), e);
        }
    }

    /**
     * {@return the rules in a text}
     *
     * @param text rules separated by line ends or semicolons; # begins a comment
     * @throws IllegalArgumentException names the wrong rule and its fault
     */
    static SocketRules of(String text) {
        List<Rule> rules = new ArrayList<>();
        for (String line : RULE_ENDS.split(text, -1)) {
            String rule = line.replaceFirst("#.*", "").strip();
            if (!rule.isEmpty()) {
                rules.add(rule(rule));
            }
        }
        return new SocketRules(rules);
    }

    private static Rule rule(String text) {
        String[] words = SPACES.split(text, -1);
        if (words.length != 3) {
            throw wrong(text, "a rule has three words, such as: connect 10.0.0.0/8:* rdma");
        }
        Side side =
                switch (words[0]) {
                    case "connect" -> Side.CONNECT;
                    case "listen" -> Side.LISTEN;
                    case "*" -> Side.BOTH;
                    default -> throw wrong(text, "a rule begins with connect, listen or *");
                };
        SocketMode mode = Arrays.stream(SocketMode.values())
                .filter(m -> m.word().equals(words[2]))
                .findAny()
                .orElseThrow(() -> wrong(
                        text,
                        "a rule ends with one of "
                                + Arrays.stream(SocketMode.values())
                                        .map(SocketMode::word)
                                        .collect(Collectors.joining(", "))));
        int colon = words[1].lastIndexOf(':');
        if (colon < 0) {
            throw wrong(text, "the second word is ADDRESS:PORT, either of which may be *");
        }
        String host = words[1].substring(0, colon);
        int[] ports = ports(text, words[1].substring(colon + 1));
        if (host.equals("*")) {
            return new Rule(side, null, 0, ports[0], ports[1], mode);
        }
        int slash = host.indexOf('/');
        byte[] address = address(text, slash < 0 ? host : host.substring(0, slash));
        int bits = address.length * Byte.SIZE;
        int prefix = slash < 0 ? bits : number(text, host.substring(slash + 1), bits);
        return new Rule(side, address, prefix, ports[0], ports[1], mode);
    }

    private static byte[] address(String rule, String text) {
        String bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        if (!bare.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            throw wrong(rule, "an address is numeric, such as 192.0.2.1 or [2001:db8::1]; names are not looked up");
        }
        try {
            return InetAddress.getByName(bare).getAddress();
        } catch (UnknownHostException e) {
            throw wrong(rule, text + " is not an address");
        }
    }

    private static int[] ports(String rule, String text) {
        if (text.equals("*")) {
            return new int[] {0, 0xFFFF};
        }
        int dash = text.indexOf('-');
        int first = number(rule, dash < 0 ? text : text.substring(0, dash), 0xFFFF);
        return new int[] {first, dash < 0 ? first : number(rule, text.substring(dash + 1), 0xFFFF)};
    }

    private static int number(String rule, String text, int most) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw wrong(rule, text + " is not a number from 0 to " + most);
    }

    private static IllegalArgumentException wrong(String rule, String why) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "\"%s\" is not a rule for sockets: %s", rule, why));
    }

    /** {@return the transport of a stream to {@code peer}} */
    SocketMode toConnect(InetSocketAddress peer) {
        return mode(Side.CONNECT, peer, SocketMode.RDMA);
    }

    /**
     * {@return the transport of datagrams to {@code peer}} Without a matching rule the peer may use either, because
     * there is no connection that shows which.
     */
    SocketMode toSend(InetSocketAddress peer) {
        return mode(Side.CONNECT, peer, SocketMode.RDMA_OR_TCP);
    }

    /**
     * {@return the protocols that a peer of datagrams may use}
     *
     * @param peer the address of the peer
     * @param told the mode set by an option for all peers; null if the rules apply
     */
    public DatagramMode peer(InetSocketAddress peer, @Nullable SocketMode told) {
        return switch (told == null ? toSend(peer) : told) {
            case RDMA -> DatagramMode.IWARP;
            case RDMA_OR_TCP -> DatagramMode.EITHER;
            case TCP -> DatagramMode.PLAIN;
        };
    }

    /** {@return the transport of the streams of a listener at {@code local}} */
    SocketMode toListen(InetSocketAddress local) {
        return mode(Side.LISTEN, local, SocketMode.RDMA);
    }

    private SocketMode mode(Side side, InetSocketAddress address, SocketMode otherwise) {
        return rules.stream()
                .filter(rule -> rule.fits(side, address))
                .map(Rule::mode)
                .findFirst()
                .orElse(otherwise);
    }
}
