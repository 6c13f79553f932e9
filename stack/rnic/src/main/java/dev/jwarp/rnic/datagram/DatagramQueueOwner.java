package dev.jwarp.rnic.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramService;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePairType;

/** A datagram queue pair as its queues and its address handles see it. Any thread. */
interface DatagramQueueOwner extends DatagramQueuePair {
    /** Throws CLOSED if it is closed. */
    void checkOpen();

    /** {@return whether it is an open one of this context} */
    boolean isOpenIn(ContextCore core);

    /** Sends were posted. */
    void sendsPosted();

    /** Receives were posted. */
    void receivesPosted();

    /** Closes one of its handles; throws RESOURCE_BUSY if requests for it are outstanding. */
    void close(RnicAddressHandle handle);

    /** {@return the service of datagram-iWARP that queue pairs of this type have} */
    static DatagramService service(QueuePairType type) {
        return type == QueuePairType.RD ? DatagramService.RD : DatagramService.UD;
    }
}
