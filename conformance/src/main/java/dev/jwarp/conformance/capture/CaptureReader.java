package dev.jwarp.conformance.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a capture file one after the other. The file may be classic pcap or pcapng. For one thread. */
public abstract sealed class CaptureReader permits CaptureReader.PcapReader, PcapngReader {
    private static final int MAGIC = 4;

    CaptureReader() {}

    /**
     * Begins to read.
     *
     * @param in the file, read from its current position; the caller closes it
     * @throws CaptureException if the file is no capture
     */
    public static CaptureReader of(InputStream in) throws IOException {
        Input input = new Input(new BufferedInputStream(in, 1 << 16));
        byte[] magic = input.some(MAGIC);
        if (magic.length < MAGIC) {
            throw new CaptureException(
                    false, magic.length == 0 ? "the file is empty" : "the file is too short for a capture");
        }
        String hex = HexFormat.of().formatHex(magic);
        return switch (hex) {
            case "a1b2c3d4" -> new PcapReader(input, ByteOrder.BIG_ENDIAN, 1000);
            case "d4c3b2a1" -> new PcapReader(input, ByteOrder.LITTLE_ENDIAN, 1000);
            case "a1b23c4d" -> new PcapReader(input, ByteOrder.BIG_ENDIAN, 1);
            case "4d3cb2a1" -> new PcapReader(input, ByteOrder.LITTLE_ENDIAN, 1);
            case "0a0d0d0a" -> new PcapngReader(input);
            default -> throw new CaptureException(false, unknown(hex));
        };
    }

    private static String unknown(String hex) {
        if (hex.startsWith("1f8b")) {
            return "the file is compressed: pipe it through zcat and give - as the file";
        }
        if (hex.equals("a1b2cd34") || hex.equals("34cdb2a1")) {
            return "the file is of a modified pcap format of the nineties: convert it with Wireshark's editcap";
        }
        return "the file is neither pcap nor pcapng: it begins with " + hex;
    }

    /**
     * The next frame, or null at the end.
     *
     * @throws CaptureException if the file is damaged here; nothing after this can be read
     */
    public abstract @Nullable Frame next() throws IOException;

    /** Classic pcap, both orders of bytes, micro- or nanoseconds (draft-ietf-opsawg-pcap). */
    static final class PcapReader extends CaptureReader {
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
                throw new CaptureException(false, "the file has version " + major + " of pcap, not 2");
            }
            // The upper half is about frame check sequences, which follow the bytes that IP counts.
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
}
