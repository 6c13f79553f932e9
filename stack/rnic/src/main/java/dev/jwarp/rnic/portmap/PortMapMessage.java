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
 * <p>64 octets for a REQUEST, 48 for all others; in network byte order. An IPv4 address is in the first 4 octets of its
 * field; the other 12 are ignored, because iwpmd does not clear them. The connecting peer (CP) sends the REQUEST.
 *
 * @param kind the kind of the message
 * @param handle identifies the REQUEST
 * @param connecting address of the connecting peer, as programs see it
 * @param accepting in a REQUEST or REJECT: the address to connect to, as programs see it; in an ACCEPT or ACK: the
 *     mapping of that address
 * @param mappedConnecting in a REQUEST: the mapping of {@code connecting}, or null if absent; null in all other
 *     messages
 */
public record PortMapMessage(
        Kind kind,
        long handle,
        InetSocketAddress connecting,
        InetSocketAddress accepting,
        @Nullable InetSocketAddress mappedConnecting) {
    /** Version, kind, and the version of IP (8). */
    static final int MAGIC_OFFSET = 0;
    /** Called pmtime (8): always zero from iwpmd, and ignored. */
    static final int TIME_OFFSET = 1;
    /** In a REQUEST, the mapping of the connecting port; otherwise zero (16). iwpmd calls it reserved. */
    static final int MAPPED_CONNECTING_PORT_OFFSET = 2;
    /** Accepting port (16). */
    static final int ACCEPTING_PORT_OFFSET = 4;
    /** Connecting port (16). */
    static final int CONNECTING_PORT_OFFSET = 6;
    /** Identifies the REQUEST (64). */
    static final int HANDLE_OFFSET = 8;
    /** Connecting address (128). */
    static final int CONNECTING_ADDRESS_OFFSET = 16;
    /** Accepting address (128). */
    static final int ACCEPTING_ADDRESS_OFFSET = 32;
    /** In a REQUEST, the mapping of the connecting address (128). */
    static final int MAPPED_CONNECTING_ADDRESS_OFFSET = 48;
    /** Length of all messages except a REQUEST, in octets (IWARP_PM_MESSAGE_SIZE). */
    static final int LENGTH = 48;
    /** Length of a REQUEST in octets. */
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

    /** The kind of a message. */
    public enum Kind {
        /** Asks for the mapping of an address. (IWARP_PM_MT_REQ) */
        REQUEST(0),
        /** Answers with the mapping. (IWARP_PM_MT_ACC) */
        ACCEPT(1),
        /** Acknowledges the ACCEPT. (IWARP_PM_MT_ACK) */
        ACK(2),
        /** Answers that there is no mapping, or that this mapper does not know the address. (IWARP_PM_MT_REJ) */
        REJECT(3);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** {@return the kind of a two-bit number; all four numbers are kinds} */
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
     * {@return the message between position and limit; null if it is no message of a port mapper} Accepts lengths of 48
     * and 64 octets, as iwpmd does ({@code process_iwpm_msg}). A REQUEST of 48 octets has no mapping of its sender.
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
            throw new IllegalStateException("an address of " + octets + " octets", e); // 4 and 16 are valid
        }
    }

    /** {@return the encoded message} All addresses must be of the same IP version. */
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
