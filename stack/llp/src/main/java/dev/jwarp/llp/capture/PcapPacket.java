package dev.jwarp.llp.capture;

import java.nio.ByteBuffer;

/**
 * An IPv4 packet with a TCP segment or UDP datagram, with synthetic headers and correct checksums. Reusable.
 *
 * <pre>
 *  0 version, header length | 1 service | 2 length | 4 id | 6 flags | 8 TTL | 9 protocol | 10 checksum | 12 from | 16 to
 * 20 from port | 22 to port | 24 sequence | 28 acknowledged | 32 header length, flags | 34 window | 36 checksum | 38 -
 * 40 options of a SYN, then payload; or
 * 20 from port | 22 to port | 24 length | 26 checksum | 28 payload
 * </pre>
 */
final class PcapPacket {
    static final int IP_HEADER = 20;
    static final int TCP_HEADER = 20;
    static final int UDP_HEADER = 8;

    static final int FIN = 0x01;
    static final int SYN = 0x02;
    static final int RST = 0x04;
    static final int PSH = 0x08;
    static final int ACK = 0x10;

    private static final int IP_CHECKSUM = 10;
    private static final int IP_ADDRESSES = 12;
    private static final int TCP_CHECKSUM = IP_HEADER + 16;
    private static final int VERSION_AND_LENGTH = 0x45;
    private static final int DO_NOT_FRAGMENT = 0x4000;
    private static final int TTL = 64;
    private static final int PROTOCOL_TCP = 6;
    private static final int PROTOCOL_UDP = 17;
    private static final int UDP_CHECKSUM = IP_HEADER + 6;
    private static final int WINDOW = 65_535;
    /** Maximum segment size 65,495; no operation; window scale 14. */
    private static final byte[] SYN_OPTIONS = {2, 4, (byte) 0xff, (byte) 0xd7, 1, 3, 3, 14};

    /** Source and destination, IPv4. */
    record Addresses(int from, int fromPort, int to, int toPort) {
        Addresses back() {
            return new Addresses(to, toPort, from, fromPort);
        }
    }

    private final byte[] octets = new byte[65_535];
    private final ByteBuffer packet = ByteBuffer.wrap(octets);
    private int id;

    /** The last packet, from index 0 on. */
    byte[] octets() {
        return octets;
    }

    /** Builds a packet with the remaining {@code payload}, which is consumed; returns the length of the packet. */
    int build(Addresses addresses, int flags, int sequence, int acknowledged, ByteBuffer payload) {
        int options = (flags & SYN) != 0 ? SYN_OPTIONS.length : 0;
        int tcpLength = TCP_HEADER + options + payload.remaining();
        int length = IP_HEADER + tcpLength;
        ipHeader(addresses, length, PROTOCOL_TCP);
        packet.putShort((short) addresses.fromPort()).putShort((short) addresses.toPort());
        packet.putInt(sequence).putInt(acknowledged);
        packet.put((byte) (((TCP_HEADER + options) / 4) << 4)).put((byte) flags).putShort((short) WINDOW);
        packet.putInt(0);
        packet.put(SYN_OPTIONS, 0, options).put(payload);
        packet.putShort(IP_CHECKSUM, checksum(0, IP_HEADER, 0));
        // The TCP checksum also covers addresses, protocol and length (RFC 9293 §3.1).
        packet.putShort(TCP_CHECKSUM, checksum(IP_ADDRESSES, length, PROTOCOL_TCP + tcpLength));
        return length;
    }

    /** Builds a packet with the remaining {@code payload}, which is consumed; returns the length of the packet. */
    int build(Addresses addresses, ByteBuffer payload) {
        int udpLength = UDP_HEADER + payload.remaining();
        int length = IP_HEADER + udpLength;
        ipHeader(addresses, length, PROTOCOL_UDP);
        packet.putShort((short) addresses.fromPort()).putShort((short) addresses.toPort());
        packet.putShort((short) udpLength).putShort((short) 0).put(payload);
        packet.putShort(IP_CHECKSUM, checksum(0, IP_HEADER, 0));
        short checksum = checksum(IP_ADDRESSES, length, PROTOCOL_UDP + udpLength);
        packet.putShort(UDP_CHECKSUM, checksum == 0 ? -1 : checksum); // RFC 768: 0 would mean none
        return length;
    }

    private void ipHeader(Addresses addresses, int length, int protocol) {
        packet.clear();
        packet.put((byte) VERSION_AND_LENGTH).put((byte) 0).putShort((short) length);
        packet.putShort((short) id++).putShort((short) DO_NOT_FRAGMENT);
        packet.put((byte) TTL).put((byte) protocol).putShort((short) 0);
        packet.putInt(addresses.from()).putInt(addresses.to());
    }

    /** The Internet checksum (RFC 1071) of the bytes from {@code begin} to {@code end} and a number. */
    private short checksum(int begin, int end, int start) {
        long sum = start;
        int i = begin;
        for (; i + 1 < end; i += 2) {
            sum += packet.getShort(i) & 0xffff;
        }
        if (i < end) {
            sum += (packet.get(i) & 0xff) << 8;
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        return (short) ~sum;
    }
}
