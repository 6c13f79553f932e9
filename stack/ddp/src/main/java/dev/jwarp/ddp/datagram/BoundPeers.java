package dev.jwarp.ddp.datagram;

import dev.jwarp.ddp.PeerBinding;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import java.util.List;

/**
 * The peers that a region is bound to: some queue pairs at their addresses; the default queue pair of an address stands for
 * all there, because what it sends names its real number. Never changes; any thread.
 */
public final class BoundPeers implements PeerBinding {
    private final DatagramAddress[] addresses;
    private final int[] queuePairs;

    /** Creates the binding to these peers, as they are now. */
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
