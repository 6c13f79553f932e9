package dev.jwarp.conformance.capture;

import dev.jwarp.conformance.wire.Octets;

/** Finds the IP packet behind the headers of a link: where the packet begins, or one of the negative answers. */
final class LinkLayer {
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
        // IEEE 802.1Q: a tag is two bytes of its own and the type of what follows.
        while (type == 0x8100 || type == 0x88A8 || type == 0x9100) {
            if (octets.length < next + 4) {
                return CUT;
            }
            type = (int) Octets.number(octets, next + 2, 2);
            next += 4;
        }
        return type == TYPE_IPV4 || type == TYPE_IPV6 ? next : NOT_IP;
    }

    /** Four bytes with the number of an address family, in the order of whatever machine captured it. */
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
