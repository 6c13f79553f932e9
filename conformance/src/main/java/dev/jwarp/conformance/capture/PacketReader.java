package dev.jwarp.conformance.capture;

import dev.jwarp.conformance.capture.Packet.Other;
import dev.jwarp.conformance.capture.Packet.Reason;
import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.capture.Packet.Udp;
import dev.jwarp.conformance.wire.Octets;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Parses the headers of a frame, from the link to TCP and UDP. Checksums are not checked, because captures at a sender
 * do not have them yet.
 */
public final class PacketReader {
    private static final int TCP = 6;
    private static final int UDP = 17;

    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int UDP_HEADER = 8;

    // IPv6 extension headers that may precede the payload, by their numbers.
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION = 60;
    private static final int MOST_EXTENSIONS = 16;

    private final Fragments fragments = new Fragments();

    /** A reader that holds no fragments yet. */
    public PacketReader() {}

    /** The content of a frame. */
    public Packet read(Frame frame) {
        int at = LinkLayer.ip(frame.linkType(), frame.octets());
        if (at < 0) {
            return new Other(
                    frame,
                    switch (at) {
                        case LinkLayer.UNKNOWN -> Reason.LINK_TYPE;
                        case LinkLayer.NOT_IP -> Reason.NOT_IP;
                        default -> Reason.CUT;
                    });
        }
        if (at >= frame.octets().length) {
            return new Other(frame, Reason.CUT);
        }
        return switch (frame.octets()[at] >> 4 & 0xF) {
            case 4 -> ipv4(frame, at);
            case 6 -> ipv6(frame, at);
            default -> new Other(frame, Reason.MALFORMED);
        };
    }

    private Packet ipv4(Frame frame, int at) {
        byte[] octets = frame.octets();
        if (octets.length < at + IPV4_HEADER) {
            return new Other(frame, Reason.CUT);
        }
        int header = (octets[at] & 0xF) * 4;
        int stated = (int) Octets.number(octets, at + 2, 2);
        // A packet that the network card will segment (TSO) has no length yet: it ends with the frame.
        long total = stated == 0 ? frame.originalLength() - at : stated;
        if (header < IPV4_HEADER || total < header) {
            return new Other(frame, Reason.MALFORMED);
        }
        if (octets.length < at + header) {
            return new Other(frame, Reason.CUT);
        }
        InetAddress source = address(octets, at + 12, 4);
        InetAddress target = address(octets, at + 16, 4);
        int protocol = octets[at + 9] & 0xFF;
        int word = (int) Octets.number(octets, at + 6, 2);
        Payload payload = new Payload(frame, source, target, protocol, octets, at + header, at + total);
        boolean more = (word & 0x2000) != 0;
        int offset = (word & 0x1FFF) * 8;
        return more || offset != 0
                ? fragment(payload, Octets.number(octets, at + 4, 2), offset, more)
                : payload.packet();
    }

    private Packet ipv6(Frame frame, int at) {
        byte[] octets = frame.octets();
        if (octets.length < at + IPV6_HEADER) {
            return new Other(frame, Reason.CUT);
        }
        int stated = (int) Octets.number(octets, at + 4, 2);
        long end = stated == 0 ? frame.originalLength() : (long) at + IPV6_HEADER + stated;
        InetAddress source = address(octets, at + 8, 16);
        InetAddress target = address(octets, at + 24, 16);
        int next = octets[at + 6] & 0xFF;
        int here = at + IPV6_HEADER;
        for (int i = 0; i < MOST_EXTENSIONS; i++) {
            if (next != HOP_BY_HOP
                    && next != ROUTING
                    && next != DESTINATION
                    && next != FRAGMENT
                    && next != AUTHENTICATION) {
                return new Payload(frame, source, target, next, octets, here, end).packet();
            }
            if (octets.length < here + 8) {
                return new Other(frame, Reason.CUT);
            }
            int after = octets[here] & 0xFF;
            if (next == FRAGMENT) {
                int word = (int) Octets.number(octets, here + 2, 2);
                Payload payload = new Payload(frame, source, target, after, octets, here + 8, end);
                return fragment(payload, Octets.number(octets, here + 4, 4), word & 0xFFF8, (word & 1) != 0);
            }
            int length = octets[here + 1] & 0xFF;
            here += next == AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
            if (here > end) {
                return new Other(frame, Reason.MALFORMED);
            }
            next = after;
        }
        return new Other(frame, Reason.MALFORMED);
    }

    private Packet fragment(Payload payload, long identification, int offset, boolean more) {
        if (payload.cut() > 0) {
            return new Other(payload.frame, Reason.CUT);
        }
        byte[] whole = fragments.add(
                new Fragments.Key(payload.source, payload.target, payload.protocol, identification),
                offset,
                more,
                Arrays.copyOfRange(payload.octets, payload.at, payload.capturedEnd()));
        return whole == null
                ? new Other(payload.frame, Reason.FRAGMENT)
                : new Payload(payload.frame, payload.source, payload.target, payload.protocol, whole, 0, whole.length)
                        .packet();
    }

    private static InetAddress address(byte[] octets, int at, int length) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(octets, at, at + length));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + length + " bytes", e);
        }
    }

    /**
     * The payload of an IP packet.
     *
     * @param at start of the payload; may be after the captured bytes
     * @param end end of the payload by the lengths of IP; may be after the captured bytes
     */
    private record Payload(
            Frame frame, InetAddress source, InetAddress target, int protocol, byte[] octets, int at, long end) {

        int capturedEnd() {
            return (int) Math.max(Math.min(at, octets.length), Math.min(end, octets.length));
        }

        int cut() {
            return (int) Math.min(Integer.MAX_VALUE, Math.max(0, end - octets.length));
        }

        Packet packet() {
            if (protocol != TCP && protocol != UDP) {
                return new Other(frame, Reason.NOT_TCP_UDP);
            }
            int least = at + (protocol == TCP ? TCP_HEADER : UDP_HEADER);
            if (least > end || least > octets.length) {
                return new Other(frame, least > end ? Reason.MALFORMED : Reason.CUT);
            }
            return protocol == TCP ? tcp() : udp();
        }

        private Packet tcp() {
            int header = (octets[at + 12] >> 4 & 0xF) * 4;
            if (header < TCP_HEADER || at + header > end) {
                return new Other(frame, Reason.MALFORMED);
            }
            int from = Math.min(capturedEnd(), at + header);
            return new Tcp(
                    frame,
                    new Endpoint(source, (int) Octets.number(octets, at, 2)),
                    new Endpoint(target, (int) Octets.number(octets, at + 2, 2)),
                    (int) Octets.number(octets, at + 4, 4),
                    (int) Octets.number(octets, at + 8, 4),
                    octets[at + 13] & 0xFF,
                    octets,
                    from,
                    capturedEnd() - from,
                    (int) Math.min(cut(), end - at - header));
        }

        private Packet udp() {
            int length = (int) Octets.number(octets, at + 4, 2);
            // RFC 768: the length counts the header. A datagram that the network card will segment may have no length.
            long stop = length == 0 ? end : Math.min(end, (long) at + length);
            if (length != 0 && (length < UDP_HEADER || at + length > end)) {
                return new Other(frame, Reason.MALFORMED);
            }
            int captured = (int) Math.min(stop, octets.length);
            return new Udp(
                    frame,
                    new Endpoint(source, (int) Octets.number(octets, at, 2)),
                    new Endpoint(target, (int) Octets.number(octets, at + 2, 2)),
                    Arrays.copyOfRange(octets, at + UDP_HEADER, captured),
                    (int) (stop - captured));
        }
    }

    /** The index of the IP packet after the headers of a link, or one of the negative answers. */
    private static final class LinkLayer {
        static final int UNKNOWN = -1;
        static final int NOT_IP = -2;
        static final int CUT = -3;

        // LINKTYPE_ numbers; the pcap library writes raw IP as 12 or 14 on some systems.
        private static final int NULL = 0;
        private static final int ETHERNET = 1;
        private static final int RAW_OLD = 12;
        private static final int RAW_OPENBSD = 14;
        private static final int RAW = 101;
        private static final int LOOP = 108;
        private static final int LINUX_COOKED = 113;
        private static final int IPV4 = 228;
        private static final int IPV6 = 229;
        private static final int LINUX_COOKED_2 = 276;

        private static final int TYPE_IPV4 = 0x0800;
        private static final int TYPE_IPV6 = 0x86DD;

        private LinkLayer() {}

        static int ip(int linkType, byte[] octets) {
            return switch (linkType) {
                case ETHERNET -> typed(octets, 12, 14);
                case LINUX_COOKED -> typed(octets, 14, 16);
                case LINUX_COOKED_2 -> typed(octets, 0, 20);
                case RAW, RAW_OLD, RAW_OPENBSD, IPV4, IPV6 -> 0;
                case NULL, LOOP -> family(octets);
                default -> UNKNOWN;
            };
        }

        /** A header that ends at {@code end} and has an EtherType at {@code at}; VLAN tags may follow. */
        private static int typed(byte[] octets, int at, int end) {
            if (octets.length < end) {
                return CUT;
            }
            int type = (int) Octets.number(octets, at, 2);
            int next = end;
            // IEEE 802.1Q: a tag has two bytes, followed by the type of the next header.
            while (type == 0x8100 || type == 0x88A8 || type == 0x9100) {
                if (octets.length < next + 4) {
                    return CUT;
                }
                type = (int) Octets.number(octets, next + 2, 2);
                next += 4;
            }
            return type == TYPE_IPV4 || type == TYPE_IPV6 ? next : NOT_IP;
        }

        /** Four bytes with the number of an address family, in the byte order of the capturing machine. */
        private static int family(byte[] octets) {
            if (octets.length < 4) {
                return CUT;
            }
            int family = (int) Octets.number(octets, 0, 4);
            int small = (family & 0xFFFF_FF00) == 0 ? family : Integer.reverseBytes(family);
            // AF_INET is 2 everywhere; AF_INET6 is 10, 24, 28 or 30.
            return small == 2 || small == 10 || small == 24 || small == 28 || small == 30 ? 4 : NOT_IP;
        }
    }
}
