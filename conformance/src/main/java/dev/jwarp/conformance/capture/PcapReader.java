package dev.jwarp.conformance.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Classic pcap, both orders of bytes, micro- or nanoseconds (draft-ietf-opsawg-pcap). */
final class PcapReader extends CaptureReader {
    private static final int REST_OF_HEADER = 20;
    private static final int LINK_TYPE = 16;
    private static final int RECORD = 16;
    private static final long SECOND = 1_000_000_000L;

    private final Input in;
    private final ByteOrder order;
    private final int nanosPerTick;
    private final int linkType;
    private long frames;

    PcapReader(Input in, ByteOrder order, int nanosPerTick) throws IOException {
        this.in = in;
        this.order = order;
        this.nanosPerTick = nanosPerTick;
        ByteBuffer header = ByteBuffer.wrap(in.some(REST_OF_HEADER)).order(order);
        if (header.capacity() < REST_OF_HEADER) {
            throw new CaptureException(false, "the capture ends in the middle of its file header");
        }
        int major = header.getShort(0) & 0xFFFF;
        if (major != 2) {
            throw new CaptureException(false, "the file is of version " + major + " of pcap; there is only version 2");
        }
        // The upper half tells of frame check sequences: they stand behind what IP counts.
        this.linkType = header.getInt(LINK_TYPE) & 0xFFFF;
    }

    @Override
    public @Nullable Frame next() throws IOException {
        long number = frames + 1;
        byte[] header = in.next(RECORD, "the header of frame " + number);
        if (header == null) {
            return null;
        }
        ByteBuffer record = ByteBuffer.wrap(header).order(order);
        long seconds = record.getInt(0) & 0xFFFF_FFFFL;
        long ticks = record.getInt(4) & 0xFFFF_FFFFL;
        long captured = record.getInt(8) & 0xFFFF_FFFFL;
        long original = record.getInt(12) & 0xFFFF_FFFFL;
        if (captured > Input.MOST) {
            throw new CaptureException(
                    true,
                    "frame %d claims %d bytes, at byte %d of the file: the capture is damaged from there on"
                            .formatted(number, captured, in.position() - RECORD));
        }
        byte[] octets = in.exactly((int) captured, "frame " + number);
        frames = number;
        return new Frame(number, seconds * SECOND + ticks * nanosPerTick, linkType, octets, original);
    }
}
