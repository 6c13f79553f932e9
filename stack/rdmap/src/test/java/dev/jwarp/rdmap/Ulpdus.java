package dev.jwarp.rdmap;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import java.nio.ByteBuffer;

/** Builds ULPDUs, valid and invalid ones. */
final class Ulpdus {
    private Ulpdus() {}

    static byte[] untagged(RdmapOpcode opcode, boolean last, int word, int queue, int msn, int mo, byte... payload) {
        ByteBuffer ulpdu = ByteBuffer.allocate(UntaggedHeader.LENGTH + payload.length);
        UntaggedHeader.write(ulpdu, 0, last, opcode.controlOctet(), queue, msn);
        UntaggedHeader.writeRest(ulpdu, 0, word, mo);
        ulpdu.put(UntaggedHeader.LENGTH, payload);
        return ulpdu.array();
    }

    static byte[] tagged(RdmapOpcode opcode, boolean last, int sTag, long to, byte... payload) {
        ByteBuffer ulpdu = ByteBuffer.allocate(TaggedHeader.LENGTH + payload.length);
        TaggedHeader.write(ulpdu, 0, last, opcode.controlOctet(), sTag, to);
        ulpdu.put(TaggedHeader.LENGTH, payload);
        return ulpdu.array();
    }

    static byte[] send(int msn, byte... payload) {
        return untagged(RdmapOpcode.SEND, true, 0, 0, msn, 0, payload);
    }

    static byte[] sendWithInvalidate(int msn, int sTag, byte... payload) {
        return untagged(RdmapOpcode.SEND_WITH_INVALIDATE, true, sTag, 0, msn, 0, payload);
    }

    static byte[] immediate(int msn, byte... payload) {
        return untagged(RdmapOpcode.IMMEDIATE_DATA, true, 0, 0, msn, 0, payload);
    }

    static byte[] write(int sTag, long to, byte... payload) {
        return tagged(RdmapOpcode.RDMA_WRITE, true, sTag, to, payload);
    }

    static byte[] readResponse(boolean last, int sTag, long to, byte... payload) {
        return tagged(RdmapOpcode.RDMA_READ_RESPONSE, last, sTag, to, payload);
    }

    static byte[] readRequest(int msn, int sinkSTag, long sinkTo, int size, int sourceSTag, long sourceTo) {
        ByteBuffer header = ByteBuffer.allocate(ReadRequestHeader.LENGTH);
        ReadRequestHeader view = new ReadRequestHeader();
        view.wrap(header, 0, header.capacity());
        view.sink(sinkSTag, sinkTo).size(size).source(sourceSTag, sourceTo);
        return untagged(RdmapOpcode.RDMA_READ_REQUEST, true, 0, 1, msn, 0, header.array());
    }

    static byte[] fetchAdd(int msn, int identifier, int sTag, long to, long addend) {
        return atomic(msn, AtomicRequestHeader.FETCH_ADD, identifier, sTag, to, addend);
    }

    static byte[] atomic(int msn, int operation, int identifier, int sTag, long to, long data) {
        ByteBuffer header = ByteBuffer.allocate(AtomicRequestHeader.LENGTH);
        AtomicRequestHeader view = new AtomicRequestHeader();
        view.wrap(header, 0, header.capacity());
        view.operation(operation, identifier).remote(sTag, to).data(data, 0).compare(0, -1);
        return untagged(RdmapOpcode.ATOMIC_REQUEST, true, 0, 1, msn, 0, header.array());
    }

    static byte[] atomicResponse(int msn, int identifier, long value) {
        ByteBuffer header = ByteBuffer.allocate(AtomicResponseHeader.LENGTH);
        AtomicResponseHeader view = new AtomicResponseHeader();
        view.wrap(header, 0, header.capacity());
        view.response(identifier, value);
        return untagged(RdmapOpcode.ATOMIC_RESPONSE, true, 0, 3, msn, 0, header.array());
    }

    /** {@return the ULPDU with its octet {@code index} changed} */
    static byte[] with(byte[] ulpdu, int index, int octet) {
        byte[] changed = ulpdu.clone();
        changed[index] = (byte) octet;
        return changed;
    }

    static RdmapOpcode opcode(byte[] ulpdu) {
        return RdmapOpcode.of(ulpdu[1] & 0xff);
    }

    static byte[] octets(int count) {
        byte[] octets = new byte[count];
        for (int i = 0; i < count; i++) {
            octets[i] = (byte) (i + 1);
        }
        return octets;
    }
}
