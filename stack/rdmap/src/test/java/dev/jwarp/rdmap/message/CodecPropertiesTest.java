package dev.jwarp.rdmap.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

@Label("Headers, over all values")
class CodecPropertiesTest {
    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("a Read Request header decodes to what was encoded (RFC 5040 §4.4)")
    void readRequest(
            @ForAll int sinkSTag,
            @ForAll long sinkOffset,
            @ForAll @LongRange(min = 0, max = 0xffff_ffffL) long size,
            @ForAll int sourceSTag,
            @ForAll long sourceOffset,
            @ForAll @IntRange(min = 0, max = 5) int at) {
        ByteBuffer octets = ByteBuffer.allocate(at + ReadRequestHeader.LENGTH + 1);
        ReadRequestHeader header = new ReadRequestHeader();
        assertThat(header.wrap(octets, at, ReadRequestHeader.LENGTH - 1)).isFalse();
        assertThat(header.wrap(octets, at, ReadRequestHeader.LENGTH)).isTrue();
        header.sink(sinkSTag, sinkOffset).size(size).source(sourceSTag, sourceOffset);
        assertThat(header.sinkSTag()).isEqualTo(sinkSTag);
        assertThat(header.sinkOffset()).isEqualTo(sinkOffset);
        assertThat(header.size()).isEqualTo(size);
        assertThat(header.sourceSTag()).isEqualTo(sourceSTag);
        assertThat(header.sourceOffset()).isEqualTo(sourceOffset);
        assertThat(octets.get(octets.capacity() - 1)).isZero();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("an Atomic Request header decodes to what was encoded (RFC 7306 §5.2.1)")
    void atomicRequest(
            @ForAll @IntRange(min = 0, max = 15) int operation,
            @ForAll int identifier,
            @ForAll int sTag,
            @ForAll long taggedOffset,
            @ForAll @Size(4) long[] values) {
        ByteBuffer octets = ByteBuffer.allocate(AtomicRequestHeader.LENGTH);
        AtomicRequestHeader header = new AtomicRequestHeader();
        assertThat(header.wrap(octets, 0, AtomicRequestHeader.LENGTH - 1)).isFalse();
        assertThat(header.wrap(octets, 0, AtomicRequestHeader.LENGTH)).isTrue();
        header.operation(operation, identifier)
                .remote(sTag, taggedOffset)
                .data(values[0], values[1])
                .compare(values[2], values[3]);
        assertThat(header.operation()).isEqualTo(operation);
        assertThat(header.identifier()).isEqualTo(identifier);
        assertThat(header.remoteSTag()).isEqualTo(sTag);
        assertThat(header.remoteOffset()).isEqualTo(taggedOffset);
        assertThat(header.data()).isEqualTo(values[0]);
        assertThat(header.mask()).isEqualTo(values[1]);
        assertThat(header.compare()).isEqualTo(values[2]);
        assertThat(header.compareMask()).isEqualTo(values[3]);
        // RFC 7306 §5.2.1: the reserved bits are ignored.
        octets.putInt(0, octets.getInt(0) | 0xffff_fff0);
        assertThat(header.operation()).isEqualTo(operation);
    }

    @Property
    @Label("Atomic Response and Immediate Data headers decode to what was encoded (RFC 7306 §5.2.2, §6.2)")
    void smallHeaders(@ForAll int identifier, @ForAll long value) {
        ByteBuffer octets = ByteBuffer.allocate(AtomicResponseHeader.LENGTH);
        AtomicResponseHeader header = new AtomicResponseHeader();
        assertThat(header.wrap(octets, 0, AtomicResponseHeader.LENGTH - 1)).isFalse();
        assertThat(header.wrap(octets, 0, AtomicResponseHeader.LENGTH)).isTrue();
        header.response(identifier, value);
        assertThat(header.identifier()).isEqualTo(identifier);
        assertThat(header.value()).isEqualTo(value);
        ImmediateDataHeader.data(octets, 2, value);
        assertThat(ImmediateDataHeader.data(octets, 2)).isEqualTo(value);
    }

    @Property
    @Label("a control byte decodes to its opcode, for any reserved bits (RFC 5040 §4.1)")
    void controlOctet(@ForAll RdmapOpcode opcode, @ForAll @IntRange(min = 0, max = 3) int reserved) {
        int octet = opcode.controlOctet() | reserved << 4;
        assertThat(RdmapOpcode.versionMatches(octet)).isTrue();
        assertThat(RdmapOpcode.versionMatches(octet ^ 0x40)).isFalse();
        assertThat(RdmapOpcode.versionMatches(octet ^ 0x80)).isFalse();
        assertThat(RdmapOpcode.of(octet)).isEqualTo(opcode);
    }

    @Property
    @Label("a Terminate decodes to what was encoded (RFC 5040 §4.8)")
    void terminate(
            @ForAll TerminateCode code,
            @ForAll @Size(14) byte[] header,
            @ForAll @IntRange(min = 14, max = 65535) int length) {
        header[0] = (byte) (header[0] | 0x80);
        ByteBuffer octets = ByteBuffer.allocate(TerminateHeader.MAXIMUM_LENGTH);
        int end = TerminateHeader.write(octets, 0, code, ByteBuffer.wrap(header), length, null);
        TerminateMessage message = TerminateHeader.read(octets, 0, end, false);
        assertThat(message).isNotNull();
        assertThat(message.code()).isEqualTo(code);
        assertThat(message.layout()).isEqualTo(TerminateMessage.Layout.RFC);
        assertThat(message.segmentLength()).isEqualTo(length);
        assertThat(message.ddpHeader()).isEqualTo(ByteBuffer.wrap(header));
        assertThat(message.readRequest().capacity()).isZero();
    }

    @Property
    @Label("any bytes are read as a Terminate without an exception, and at most the longest length is kept")
    void anything(@ForAll @Size(max = 120) byte[] octets, @ForAll boolean setUp) {
        TerminateMessage message = TerminateHeader.read(ByteBuffer.wrap(octets), 0, octets.length, setUp);
        assertThat(message == null).isEqualTo(octets.length < 4);
        if (message != null) {
            assertThat(message.octets().capacity()).isBetween(4, TerminateHeader.MAXIMUM_LENGTH);
            assertThat(message.toString()).isNotEmpty();
        }
    }
}
