package dev.jwarp.rnic.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramDestination;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;

/**
 * An address handle; lower layers see its {@link DatagramDestination}. The address is stored as numbers only, because a
 * program may have handles for very many peers.
 */
public final class RnicAddressHandle extends LinkedPlaces.Link<RnicAddressHandle>
        implements AddressHandle, RnicMemoryRegion.Peer {
    private final RnicDatagramQueuePair queuePair;
    private final boolean trusted;
    private final DatagramDestination destination;

    /** Number of requests posted, under the send lock. These counts wrap around; only their difference matters. */
    private int posted;

    /** Number of requests completed: the owner's count, and a copy for other threads. */
    private int done;

    private volatile int completed;

    private volatile boolean closed;

    RnicAddressHandle(RnicDatagramQueuePair queuePair, DatagramPeer peer, boolean trusted) {
        this.queuePair = queuePair;
        this.trusted = trusted;
        destination = new Destination(peer);
    }

    /** The destination of operations; leads from an operation back to its handle. */
    private final class Destination extends DatagramDestination {
        Destination(DatagramPeer peer) {
            super(peer);
        }

        RnicAddressHandle handle() {
            return RnicAddressHandle.this;
        }
    }

    /** {@return the handle of an operation} */
    static RnicAddressHandle of(DatagramOperation operation) {
        return ((Destination) operation.destination()).handle();
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

    /** {@return whether the port treats the address as validated because of this handle} */
    boolean trusted() {
        return trusted;
    }

    /** A request with this handle was posted. Under the send lock. */
    void requestPosted() {
        posted++;
    }

    /** Undoes {@link #requestPosted}. Under the send lock. */
    void requestNotPosted() {
        posted--;
    }

    /** A request with this handle is complete. Owner only. */
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
        return peer().address().toSocketAddress();
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
        int largest = peer().maximumDatagram();
        return largest == 0 ? 0 : largest + peer().address().headers();
    }

    @Override
    public long pace() {
        return peer().pace();
    }

    @Override
    public int weight() {
        return destination.weight();
    }

    @Override
    public AddressHandle weight(int times) {
        ContextCore.checkRange(times, 1, UpperLayer.HEAVIEST, "shares of an address handle, its weight,");
        destination.weight(times);
        return this;
    }

    @Override
    public boolean group() {
        return queuePairNumber() == Shim.GROUP_QPN;
    }

    @Override
    public void close() {
        queuePair.close(this);
    }

    /** Closes the handle if no request is outstanding. Under the send lock. Returns true the first time. */
    boolean closeIfIdle() {
        if (closed) {
            return false;
        }
        int outstanding = posted - completed;
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
        return group() ? "the group " + peer().address() : peer().toString();
    }
}
