package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.source.SourceTable;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * At which of a wildcard port's sockets each peer has asked last: what is sent to it leaves there, so from the address that it
 * knows (datagram-iWARP §4.1, DG-4.1-5). As many peers as that; the one heard of longest ago makes room, and is answered from an address of the
 * system's choice then. The owner of the port only; allocates nothing after construction.
 */
final class WaysBack {
    private static final int PEERS = 4_096;

    private final SourceTable peers = new SourceTable(PEERS, new SecureRandom().nextLong());
    private final @Nullable PortSocket[] sockets = new PortSocket[PEERS];

    /** Something of that peer came there. */
    void came(DatagramAddress from, PortSocket through) {
        sockets[peers.put(from)] = through;
    }

    /** {@return where that peer asked last; null if that is not known} */
    @Nullable
    PortSocket to(DatagramAddress peer) {
        int slot = peers.find(peer);
        return slot < 0 ? null : sockets[slot];
    }
}
