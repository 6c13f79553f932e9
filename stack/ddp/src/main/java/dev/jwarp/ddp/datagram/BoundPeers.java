package dev.jwarp.ddp.datagram;

import dev.jwarp.ddp.PeerBinding;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import java.util.List;

/**
 * The peers that a region is bound to: queue pairs at their addresses. The default queue pair of an address stands for
 * all queue pairs there, because its datagrams carry its real number. Immutable; any thread.
 */
public final class BoundPeers implements PeerBinding {
    private final DatagramAddress[] addresses;
    private final int[] queuePairs;

    /** Creates a binding to a copy of these peers. */
    public BoundPeers(List<DatagramPeer> peers) {
        addresses = new DatagramAddress[peers.size()];
        queuePairs = new int[peers.size()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = peers.get(i).address().copy();
            queuePairs[i] = peers.get(i).queuePairNumber();
        }
    }

    @Override
    public boolean admits(DatagramAddress source, int queuePairNumber) {
        for (int i = 0; i < addresses.length; i++) {
            int bound = queuePairs[i];
            if ((bound == queuePairNumber || bound == Shim.DEFAULT_QPN) && addresses[i].equals(source)) {
                return true;
            }
        }
        return false;
    }
}
