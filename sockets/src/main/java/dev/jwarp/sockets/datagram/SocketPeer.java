package dev.jwarp.sockets.datagram;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Shares;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A peer of a datagram socket, and the protocol that it uses. Guarded by its end. */
final class SocketPeer implements ShareHolder {
    /** Time for which datagram-iWARP is tried with a peer that may use either protocol. */
    private static final long ASKED_NANOS = 1_000_000_000L;

    private static final long MAPPED = 0xffff_0000_0000L;

    final InetSocketAddress address;
    /** The protocols that the peer may use. */
    private final DatagramMode mode;

    private final long high;
    private final long low;

    /** Destination of datagram-iWARP; null before the first datagram. */
    @Nullable
    AddressHandle handle;

    /** Whether the last datagram of the peer was plain. */
    private boolean plain;

    /** The place among the peers of the socket; null before {@link #join}. */
    private @Nullable Share place;

    private @Nullable Consumer<InetSocketAddress> table;

    /** The share of the memory for unread datagrams; null if none has arrived. */
    @Nullable
    Share waiting;

    private boolean forgotten;
    private boolean heard;
    private boolean asked;
    private long askedAt;

    /** Made before any datagram. */
    SocketPeer(InetSocketAddress address, DatagramMode mode) {
        this.address = address;
        this.mode = mode;
        byte[] octets = address.getAddress().getAddress();
        ByteBuffer all = ByteBuffer.wrap(octets);
        boolean six = octets.length > Integer.BYTES;
        high = six ? all.getLong(0) : 0;
        low = six ? all.getLong(Long.BYTES) : MAPPED | Integer.toUnsignedLong(all.getInt(0));
    }

    /**
     * Joins the peers of the socket.
     *
     * @param from removes the peer when it is forgotten
     */
    void join(Shares places, long source, Consumer<InetSocketAddress> from, long now) {
        place = places.join(source, this, now);
        table = from;
    }

    /** {@return whether the peer has a place} Other peers may have been forgotten for it. */
    boolean takePlace(long now) {
        return place != null && place.take(1, now);
    }

    /** Notes that a datagram was received from the peer or sent to it. */
    void moved() {
        if (place != null) {
            place.moved(place.movedAt());
        }
    }

    @Override
    public void takeBack(long nowNanos) {
        if (table != null && closed()) {
            table.accept(address);
            leave();
        }
    }

    /** {@return whether no send to the peer is outstanding, so that it can be forgotten} */
    boolean closed() {
        try {
            if (handle != null) {
                handle.close();
            }
            return true;
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.RESOURCE_BUSY) {
                throw e;
            }
            return false;
        }
    }

    boolean forgotten() {
        return forgotten;
    }

    /** Forgets the peer; its received datagrams can still be read. */
    void leave() {
        forgotten = true;
        if (place != null) {
            place.leave();
        }
        leaveIfRead();
    }

    /** Releases the share of a forgotten peer when all its datagrams are read. */
    void leaveIfRead() {
        if (forgotten && waiting != null && waiting.held() == 0) {
            waiting.leave();
            waiting = null;
        }
    }

    /** {@return whether this peer has sent a received datagram} Allocates nothing. */
    boolean sent(WorkCompletion received) {
        return received.sourceLow() == low
                && received.sourceHigh() == high
                && received.sourcePort() == address.getPort()
                && received.sourceScope() == scope();
    }

    private int scope() {
        return address.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** Notes a datagram-iWARP datagram of the peer. */
    void spoke() {
        plain = false;
        heard = true;
    }

    /**
     * Notes a plain datagram of the peer.
     *
     * @return false, without a change, if the peer may not use plain UDP: any host can forge such a datagram
     */
    boolean spokePlain() {
        if (mode == DatagramMode.IWARP) {
            return false;
        }
        plain = true;
        heard = false;
        return true;
    }

    /** {@return whether plain datagrams are sent to the peer} */
    boolean plain(long now) {
        return plain
                || mode == DatagramMode.PLAIN
                || (mode == DatagramMode.EITHER && !heard && asked && now - askedAt > ASKED_NANOS);
    }

    /** Notes that a datagram-iWARP datagram was sent to the peer. */
    void asked(long now) {
        if (!asked) {
            asked = true;
            askedAt = now;
        }
    }
}
