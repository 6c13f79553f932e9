package dev.jwarp.rnic.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramDestination;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.BoundPeer;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Where a datagram goes; what the stack knows of it is its {@link DatagramDestination}. */
public final class RnicAddressHandle extends LinkedPlaces.Link<RnicAddressHandle> implements AddressHandle, BoundPeer {
    private static final int IPV4_AND_UDP = 20 + 8;
    private static final int IPV6_AND_UDP = 40 + 8;

    private final DatagramQueueOwner queuePair;
    private final InetSocketAddress address;
    private final int pathMtu;
    private final boolean trusted;
    private final DatagramDestination destination;

    /** Requests ever posted, under the send lock. */
    private long posted;

    /** Requests ever completed; the owner's own count, and the same for others. */
    private long done;

    private volatile long completed;

    private volatile boolean closed;

    RnicAddressHandle(
            DatagramQueueOwner queuePair,
            InetSocketAddress address,
            int number,
            int key,
            int pathMtu,
            long pace,
            boolean trusted) {
        this.queuePair = queuePair;
        this.address = address;
        this.pathMtu = pathMtu;
        this.trusted = trusted;
        int largest = pathMtu - headers(address.getAddress());
        DatagramPeer peer = new DatagramPeer()
                .set(DatagramAddress.of(address), number, key, largest)
                .pace(pace);
        destination = new DatagramDestination(peer);
        destination.note(this);
    }

    /** {@return octets of IP and UDP headers to such an address} */
    static int headers(InetAddress address) {
        return address instanceof Inet4Address ? IPV4_AND_UDP : IPV6_AND_UDP;
    }

    DatagramDestination destination() {
        return destination;
    }

    @Override
    public DatagramPeer peer() {
        return destination.peer();
    }

    @Override
    public boolean isOf(ContextCore core) {
        return queuePair.isOpenIn(core);
    }

    boolean closed() {
        return closed;
    }

    /** {@return whether its address is taken for proved because of it} */
    boolean trusted() {
        return trusted;
    }

    /** A request for it was posted. Under the send lock. */
    void requestPosted() {
        posted++;
    }

    /** It was not posted after all. Under the send lock. */
    void requestNotPosted() {
        posted--;
    }

    /** A request for it is complete. Owner. */
    void requestCompleted() {
        done++;
        completed = done;
    }

    @Override
    public DatagramQueuePair queuePair() {
        return queuePair;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public int queuePairNumber() {
        return peer().queuePairNumber();
    }

    @Override
    public int key() {
        return peer().key();
    }

    @Override
    public int pathMtu() {
        return pathMtu;
    }

    @Override
    public long pace() {
        return peer().pace();
    }

    @Override
    public boolean group() {
        return queuePairNumber() == Shim.GROUP_QPN;
    }

    @Override
    public void close() {
        queuePair.close(this);
    }

    /** Closes it, if nothing is outstanding. Under the send lock. Answers true the first time. */
    boolean closeIfIdle() {
        if (closed) {
            return false;
        }
        long outstanding = posted - completed;
        if (outstanding != 0) {
            throw new RdmaException(
                    RdmaErrorCode.RESOURCE_BUSY,
                    "The address handle for " + this + " still has " + outstanding
                            + " request(s) outstanding: take their completions first.");
        }
        closed = true;
        return true;
    }

    @Override
    public String toString() {
        return group() ? "the group " + address : "queue pair " + queuePairNumber() + " at " + address;
    }
}
