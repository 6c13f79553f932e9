package dev.jwarp.conformance.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An MPA Request or Reply (RFC 5044 §7.1.1, RFC 6581 §6). The class builds and parses frames. Every
 * field can be set, also to a wrong value.
 */
public final class StartFrame {
    /** Size in bytes of the header, which precedes the private data. */
    public static final int HEADER = 20;

    public static final int MOST_PRIVATE_DATA = 512;

    public static final int MARKERS = 0x80;
    public static final int CRC = 0x40;
    public static final int REJECT = 0x20;
    public static final int ENHANCED = 0x10;

    public static final String REQUEST_KEY = "MPA ID Req Frame";
    public static final String REPLY_KEY = "MPA ID Rep Frame";

    private byte[] key;
    private int flags;
    private int revision = 1;
    private int declared = -1;
    private byte[] privateData = new byte[0];

    private StartFrame(String key, int flags) {
        this.key = key.getBytes(StandardCharsets.US_ASCII);
        this.flags = flags;
    }

    /** A Request of revision 1 that wants CRCs and no Markers. */
    public static StartFrame request() {
        return new StartFrame(REQUEST_KEY, CRC);
    }

    /** A Reply of revision 1 that accepts, wants CRCs and no Markers. */
    public static StartFrame reply() {
        return new StartFrame(REPLY_KEY, CRC);
    }

    public StartFrame key(String key) {
        this.key = Arrays.copyOf(key.getBytes(StandardCharsets.US_ASCII), 16);
        return this;
    }

    public StartFrame with(int flag) {
        flags |= flag;
        return this;
    }

    public StartFrame without(int flag) {
        flags &= ~flag;
        return this;
    }

    public StartFrame revision(int revision) {
        this.revision = revision;
        return this;
    }

    /** States a PD_Length other than the size of the private data. */
    public StartFrame declaring(int length) {
        declared = length;
        return this;
    }

    public StartFrame privateData(byte... octets) {
        privateData = octets.clone();
        return this;
    }

    /** Adds the IRD/ORD word (RFC 6581 §6) before the private data, and sets revision 2. Call this last. */
    public StartFrame enhanced(Depths depths) {
        privateData = new Octets().add(depths.bytes()).add(privateData).bytes();
        return revision(2).with(ENHANCED);
    }

    /** Replaces the IRD/ORD word if the frame has one. */
    public StartFrame depths(Depths depths) {
        if (depths() != null) {
            privateData = new Octets().add(depths.bytes()).add(ulpData()).bytes();
        }
        return this;
    }

    /** Replaces the private data; the IRD/ORD word stays. */
    public StartFrame ulpData(byte[] octets) {
        Depths word = depths();
        privateData = word == null
                ? octets.clone()
                : new Octets().add(word.bytes()).add(octets).bytes();
        return this;
    }

    public byte[] bytes() {
        return new Octets()
                .add(key)
                .u8(flags)
                .u8(revision)
                .u16(declared < 0 ? privateData.length : declared)
                .add(privateData)
                .bytes();
    }

    /** Parses a frame; {@code octets} holds the header and as many bytes of private data as the header states. */
    public static StartFrame parse(byte[] octets) {
        StartFrame frame = new StartFrame("", octets[16] & 0xFF);
        frame.key = Arrays.copyOf(octets, 16);
        frame.revision = octets[17] & 0xFF;
        frame.privateData = Arrays.copyOfRange(octets, HEADER, octets.length);
        return frame;
    }

    /** The PD_Length that 20 bytes of header state. */
    public static int declaredLength(byte[] header) {
        return (int) Octets.number(header, 18, 2);
    }

    public String key() {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public int flags() {
        return flags;
    }

    public int revision() {
        return revision;
    }

    /** All private data, the IRD/ORD word included. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** The IRD/ORD word, or null if the frame has none. */
    public @Nullable Depths depths() {
        return has(ENHANCED) && privateData.length >= Depths.SIZE ? Depths.parse(privateData) : null;
    }

    /** The private data of the program above, without the IRD/ORD word. */
    public byte[] ulpData() {
        return depths() == null ? privateData() : Arrays.copyOfRange(privateData, Depths.SIZE, privateData.length);
    }
}
