package dev.jwarp.conformance.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a capture file one after the other. The file may be classic pcap or pcapng. For one thread. */
public abstract sealed class CaptureReader permits PcapReader, PcapngReader {
    private static final int MAGIC = 4;

    CaptureReader() {}

    /**
     * Begins to read.
     *
     * @param in the file, which is read from here on and not closed
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
            return "the file is compressed: pipe it through zcat, and give - in its place";
        }
        if (hex.equals("a1b2cd34") || hex.equals("34cdb2a1")) {
            return "the file is of a changed pcap format of the nineties: let Wireshark's editcap rewrite it";
        }
        return "the file is neither pcap nor pcapng: it begins with " + hex;
    }

    /**
     * The next frame, or null at the end.
     *
     * @throws CaptureException if the file is damaged here; nothing more can be read
     */
    public abstract @Nullable Frame next() throws IOException;
}
