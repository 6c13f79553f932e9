package dev.jwarp.rnic.portmap;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message between port mappers (no RFC; rdma-core, iwpmd/iwarp_pm.h, {@code struct iwpm_wire_msg}), checked.
 *
 * <pre>
 *  octet  0                              1       2                4                6                 8
 *         Version(2) | Kind(2) | IP(4) | Time  | Mapped CP Port | Accepting Port | Connecting Port | Handle ...
 *
 *        16                   32                  48                          64
 *         Connecting Address | Accepting Address | Mapped Connecting Address |
 * </pre>
 *
 * <p>64 octets for a REQUEST, 48 for all others; in the order of the network. An IPv4 address is the first 4 octets of its
 * field; iwpmd leaves in the other 12 what was there before, so they are not looked at. The connecting peer (CP) is the
 * one that asks.
 *
 * @param kind what it says
 * @param handle which question it belongs to
 * @param connecting who wants to connect, as the programs see it
 * @param accepting of a REQUEST, a REJECT: what it wants to connect to, as the programs see it; of an ACCEPT, an ACK:
 *     what that is mapped to
 * @param mappedConnecting of a REQUEST: what {@code connecting} is mapped to; null if it does not say, and in all others
 */
public record PortMapMessage(
        Kind kind,
        long handle,
        InetSocketAddress connecting,
        InetSocketAddress accepting,
        @Nullable InetSocketAddress mappedConnecting) {
    /** Version, kind, and the version of IP (8). */
    static final int MAGIC_OFFSET = 0;
    /** Called pmtime (8): zero in all that iwpmd sends, and never looked at. */
    static final int TIME_OFFSET = 1;
    /** Of a REQUEST, the port that the connecting one is mapped to; else zero (16). iwpmd calls it reserved. */
    static final int MAPPED_CONNECTING_PORT_OFFSET = 2;
    /** Accepting port (16). */
    static final int ACCEPTING_PORT_OFFSET = 4;
    /** Connecting port (16). */
    static final int CONNECTING_PORT_OFFSET = 6;
    /** Which question it belongs to (64). */
    static final int HANDLE_OFFSET = 8;
    /** Connecting address (128). */
    static final int CONNECTING_ADDRESS_OFFSET = 16;
    /** Accepting address (128). */
    static final int ACCEPTING_ADDRESS_OFFSET = 32;
    /** Of a REQUEST, the address that the connecting one is mapped to (128). */
    static final int MAPPED_CONNECTING_ADDRESS_OFFSET = 48;
    /** Octets of all but a REQUEST (IWARP_PM_MESSAGE_SIZE). */
    static final int LENGTH = 48;
    /** Octets of a REQUEST. */
    public static final int REQUEST_LENGTH = 64;

    private static final int VERSION = 0;
    private static final int VERSION_SHIFT = 6;
    private static final int TYPE_SHIFT = 4;
    private static final int TYPE_MASK = 3;
    private static final int IP_MASK = 0xf;
    private static final int IPV4 = 4;
    private static final int IPV6 = 6;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;

    /** What a message says. */
    public enum Kind {
        /** What is this address mapped to? (IWARP_PM_MT_REQ) */
        REQUEST(0),
        /** To this one. (IWARP_PM_MT_ACC) */
        ACCEPT(1),
        /** The ACCEPT has come. (IWARP_PM_MT_ACK) */
        ACK(2),
        /** It is not mapped, or this mapper does not know it. (IWARP_PM_MT_REJ) */
        REJECT(3);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** All four numbers of two bits are kinds. */
        private static Kind of(int number) {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("a kind of message has two bits, not the number " + number);
        }
    }

    /**
     * {@return what lies between position and limit; null if that is no message of a port mapper} Takes 48 and 64 octets, as
     * iwpmd does ({@code process_iwpm_msg}): a REQUEST of 48 does not say what its sender is mapped to.
     */
    public static @Nullable PortMapMessage parse(ByteBuffer buffer) {
        int at = buffer.position();
        int length = buffer.remaining();
        if (length != LENGTH && length != REQUEST_LENGTH) {
            return null;
        }
        int magic = buffer.get(at + MAGIC_OFFSET) & 0xff;
        int ip = magic & IP_MASK;
        if (magic >>> VERSION_SHIFT != VERSION || (ip != IPV4 && ip != IPV6)) {
            return null;
        }
        Kind kind = Kind.of(magic >>> TYPE_SHIFT & TYPE_MASK);
        int octets = ip == IPV4 ? IPV4_LENGTH : IPV6_LENGTH;
        boolean mapped = kind == Kind.REQUEST && length == REQUEST_LENGTH;
        return new PortMapMessage(
                kind,
                buffer.getLong(at + HANDLE_OFFSET),
                address(buffer, at + CONNECTING_ADDRESS_OFFSET, octets, at + CONNECTING_PORT_OFFSET),
                address(buffer, at + ACCEPTING_ADDRESS_OFFSET, octets, at + ACCEPTING_PORT_OFFSET),
                mapped
                        ? address(
                                buffer,
                                at + MAPPED_CONNECTING_ADDRESS_OFFSET,
                                octets,
                                at + MAPPED_CONNECTING_PORT_OFFSET)
                        : null);
    }

    private static InetSocketAddress address(ByteBuffer buffer, int at, int octets, int portAt) {
        byte[] address = new byte[octets];
        buffer.get(at, address);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), buffer.getShort(portAt) & 0xffff);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + octets + " octets", e); // 4 and 16 are right
        }
    }

    /** {@return its octets} All its addresses must be of one kind, IPv4 or IPv6. */
    public ByteBuffer encode() {
        boolean ipv4 = accepting.getAddress() instanceof Inet4Address;
        ByteBuffer out = ByteBuffer.allocate(kind == Kind.REQUEST ? REQUEST_LENGTH : LENGTH);
        int magic = VERSION << VERSION_SHIFT | kind.number << TYPE_SHIFT | (ipv4 ? IPV4 : IPV6);
        out.put(MAGIC_OFFSET, (byte) magic);
        out.put(TIME_OFFSET, (byte) 0);
        out.putLong(HANDLE_OFFSET, handle);
        put(out, CONNECTING_ADDRESS_OFFSET, connecting, CONNECTING_PORT_OFFSET);
        put(out, ACCEPTING_ADDRESS_OFFSET, accepting, ACCEPTING_PORT_OFFSET);
        if (kind == Kind.REQUEST && mappedConnecting != null) {
            put(out, MAPPED_CONNECTING_ADDRESS_OFFSET, mappedConnecting, MAPPED_CONNECTING_PORT_OFFSET);
        }
        return out;
    }

    private static void put(ByteBuffer out, int at, InetSocketAddress address, int portAt) {
        out.put(at, address.getAddress().getAddress());
        out.putShort(portAt, (short) address.getPort());
    }

    /** {@return an answer to this message, about {@code mapped}} */
    public PortMapMessage answer(Kind answer, InetSocketAddress mapped) {
        return new PortMapMessage(answer, handle, connecting, mapped, null);
    }
}
