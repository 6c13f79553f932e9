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
 * Writes a datagram of DATA as RD-PARTs (datagram-iWARP §4.4). It keeps a copy of the one until the last part is written, as a turn
 * may have no room for all of them. Owner thread only; has memory from the first datagram on that needs it.
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

    /** {@return octets of content of the largest part of so many octets; 0 if there is room for none} */
    static int size(int largest) {
        return Math.max(0, largest - AROUND) / RdPartExtension.UNIT * RdPartExtension.UNIT;
    }

    /**
     * Takes a datagram, and writes its first part in its place.
     *
     * @param shim where it begins in the memory of {@code out}
     * @param content where what is behind its extension begins
     * @param end where that ends
     * @param partSize octets of content of all parts but the last
     * @return how many parts there are
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

    /** {@return octets of UDP payload of so many parts of the datagram begun last} */
    int octets(int parts) {
        return total + parts * AROUND;
    }

    /** Writes the next part of the datagram begun last, for which there is room; false if there is none. */
    boolean next(SendBuffer out) {
        ByteBuffer from = copy;
        if (from == null || offset == total) {
            return false;
        }
        int length = Math.min(size, total - offset);
        int at = out.begin(to);
        int behind = at + ShimHeader.LENGTH;
        ByteBuffer memory = out.memory();
        // Shim, PSN, Ack and Window are those of the DATA; its last field is zero, and ours begin with it.
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
