package dev.jwarp.sockets.datagram;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.WorkCompletion;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The socket at the other end, and what is known of what it speaks. Guarded by its end. */
final class SocketPeer {
    /** So long one that may speak either is asked in datagram-iWARP. */
    private static final long ASKED_NANOS = 1_000_000_000L;

    private static final long MAPPED = 0xffff_0000_0000L;

    final InetSocketAddress address;
    /** What it may speak. */
    private final DatagramMode mode;

    private final long high;
    private final long low;

    /** Where datagrams of datagram-iWARP go; null: none went yet. */
    @Nullable
    AddressHandle handle;

    /** What came from there last was plain. */
    private boolean plain;

    private boolean heard;
    private boolean asked;
    private long askedAt;

    /** Nothing is known of it but what it may speak. */
    SocketPeer(InetSocketAddress address, DatagramMode mode) {
        this.address = address;
        this.mode = mode;
        byte[] octets = address.getAddress().getAddress();
        ByteBuffer all = ByteBuffer.wrap(octets);
        boolean six = octets.length > Integer.BYTES;
        high = six ? all.getLong(0) : 0;
        low = six ? all.getLong(Long.BYTES) : MAPPED | Integer.toUnsignedLong(all.getInt(0));
    }

    /** {@return whether it has sent what was received} Allocates nothing. */
    boolean sent(WorkCompletion received) {
        return received.sourceLow() == low
                && received.sourceHigh() == high
                && received.sourcePort() == address.getPort()
                && received.sourceScope() == scope();
    }

    private int scope() {
        return address.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** A datagram of datagram-iWARP came from there. */
    void spoke() {
        plain = false;
        heard = true;
    }

    /** A plain datagram came from there. */
    void spokePlain() {
        plain = true;
        heard = false;
    }

    /** {@return whether plain datagrams go there} */
    boolean plain(long now) {
        return plain
                || mode == DatagramMode.PLAIN
                || (mode == DatagramMode.EITHER && !heard && asked && now - askedAt > ASKED_NANOS);
    }

    /** A datagram of datagram-iWARP went there. */
    void asked(long now) {
        if (!asked) {
            asked = true;
            askedAt = now;
        }
    }
}
