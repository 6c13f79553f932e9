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

/** The socket at the other end, and what is known of what it speaks. Guarded by its end. */
final class SocketPeer implements ShareHolder {
    /** Time for which a peer that may speak either protocol is asked in datagram-iWARP. */
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

    /** Among the peers that the socket knows; null: it is not one of these yet. */
    private @Nullable Share place;

    private @Nullable Consumer<InetSocketAddress> table;

    /** Of the memory for datagrams that were not read; null: none has come. */
    @Nullable
    Share waiting;

    private boolean forgotten;
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

    /**
     * It is to have a place among those that the socket knows.
     *
     * @param from takes it out when it is forgotten
     */
    void join(Shares places, long source, Consumer<InetSocketAddress> from, long now) {
        place = places.join(source, this, now);
        table = from;
    }

    /** {@return whether it has the place} Others may have been forgotten for that. */
    boolean takePlace(long now) {
        return place != null && place.take(1, now);
    }

    /** It was heard of, or sent to. */
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

    /** {@return whether nothing is on its way there, so that it can be forgotten} */
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

    /** It is forgotten; what has come from it can still be read. */
    void leave() {
        forgotten = true;
        if (place != null) {
            place.leave();
        }
        leaveIfRead();
    }

    /** Some of what has come from it was read. */
    void leaveIfRead() {
        if (forgotten && waiting != null && waiting.held() == 0) {
            waiting.leave();
            waiting = null;
        }
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

    /**
     * A plain datagram came from there.
     *
     * @return false if it may not speak that: any host can send such a datagram in its name, and it changes nothing
     */
    boolean spokePlain() {
        if (mode == DatagramMode.IWARP) {
            return false;
        }
        plain = true;
        heard = false;
        return true;
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
