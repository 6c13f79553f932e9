package dev.jwarp.rdmap;

import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;

/**
 * One IRD slot: holds the header of an inbound Read or Atomic Request until it is answered, and the progress of the
 * response. RFC 5040 §5.2.1, RFC 7306 §5.2.1.
 */
final class RequestSlot extends HeaderBuffer {
    /** The header, if it is a Read Request. */
    final ReadRequestHeader read = new ReadRequestHeader();

    /** The header, if it is an Atomic Request. */
    final AtomicRequestHeader atomic = new AtomicRequestHeader();

    /** The opcode of the request. */
    RdmapOpcode opcode = RdmapOpcode.RDMA_READ_REQUEST;

    /** The sequence number of the request. */
    int messageSequenceNumber;

    /** Bytes of the Read Response already passed to the lower layer. */
    long sent;

    RequestSlot() {
        super(Math.max(ReadRequestHeader.LENGTH, AtomicRequestHeader.LENGTH));
        read.wrap(octets, 0, ReadRequestHeader.LENGTH);
        atomic.wrap(octets, 0, AtomicRequestHeader.LENGTH);
    }

    void delivered(RdmapOpcode as, int msn) {
        opcode = as;
        messageSequenceNumber = msn;
        sent = 0;
    }

    boolean isRead() {
        return opcode == RdmapOpcode.RDMA_READ_REQUEST;
    }

    boolean isEmptyRead() {
        return isRead() && read.size() == 0;
    }
}
