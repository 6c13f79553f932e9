package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdExtension;
import dev.jwarp.transport.udp.wire.RdPartExtension;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a datagram of DATA as RD-PARTs (datagram-iWARP §4.4). The writer keeps a copy of the datagram until the last
 * part is written, since a turn may lack room for all parts. Owner thread only; memory is allocated at the first use.
 */
final class PartWriter {
    private static final int AROUND = DatagramLength.SHORTEST + RdPartExtension.LENGTH;

    private final DatagramAddress to = new DatagramAddress();
    private final RdPartExtension extension = new RdPartExtension();
    private @Nullable ByteBuffer copy;
    private @Nullable OutboundMessage message;
    private int total;
    private int size;
    private int offset;

    /** {@return the octets of content in a part of {@code largest} octets; 0 if there is no room for content} */
    static int size(int largest) {
        return Math.max(0, largest - AROUND) / RdPartExtension.UNIT * RdPartExtension.UNIT;
    }

    /**
     * Takes a copy of a datagram, and writes its first part in the datagram's place.
     *
     * @param shim the offset of the datagram in the memory of {@code out}
     * @param content the offset behind its extension
     * @param end the offset behind the datagram without CRC
     * @param partSize the octets of content in each part except the last
     * @return the number of parts
     */
    int begin(SendBuffer out, int shim, int content, int end, int partSize, OutboundMessage of) {
        ByteBuffer kept = copy;
        if (kept == null) {
            kept = ByteBuffer.allocate(DatagramLength.LARGEST);
            copy = kept;
        }
        kept.put(0, out.memory(), shim, end - shim);
        to.set(out.destination());
        message = of;
        total = end - content;
        size = partSize;
        offset = 0;
        next(out);
        return (total + size - 1) / size;
    }

    /** {@return the octets of UDP payload of all {@code parts} of the datagram begun last} */
    int octets(int parts) {
        return total + parts * AROUND;
    }

    /** Writes the next part of the datagram begun last, for which there must be room; false if no part is left. */
    boolean next(SendBuffer out) {
        ByteBuffer from = copy;
        if (from == null || offset == total) {
            return false;
        }
        int length = Math.min(size, total - offset);
        int at = out.begin(to);
        int behind = at + ShimHeader.LENGTH;
        ByteBuffer memory = out.memory();
        // Shim, PSN, Ack and Window are those of the DATA. The fields of RD-PART begin at the zero field of DATA.
        memory.put(at, from, 0, ShimHeader.LENGTH + RdExtension.ZERO_OFFSET);
        memory.put(at + ShimHeader.VERSION_AND_KIND_OFFSET, (byte) Kind.RD_PART.octet());
        extension.wrap(memory, behind);
        extension.set(length, total, offset);
        int content = ShimHeader.LENGTH + RdExtension.LENGTH + offset;
        memory.put(behind + RdPartExtension.LENGTH, from, content, length);
        offset += length;
        out.end(ShimHeader.LENGTH + RdPartExtension.LENGTH + length, message);
        if (offset == total) {
            message = null;
        }
        return true;
    }
}
