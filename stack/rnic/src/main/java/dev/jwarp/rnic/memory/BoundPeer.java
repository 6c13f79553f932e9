package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.rnic.core.ContextCore;

/** What a region can be bound to: a peer of a datagram queue pair. */
public interface BoundPeer {
    /** {@return the peer, as the stack knows it} */
    DatagramPeer peer();

    /** {@return whether it is of an open queue pair of this context} */
    boolean isOf(ContextCore core);
}
