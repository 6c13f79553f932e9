package dev.jwarp.conformance.wire;

import java.util.zip.CRC32C;

/**
 * Makes FPDUs from ULPDUs, for one direction of one connection: Markers, pad, CRC (RFC 5044 §4). Sans-IO; counts the
 * bytes that it makes.
 */
public final class Framer {
    /** Distance in bytes between Markers, one Marker included (RFC 5044 §4.3). */
    public static final int INTERVAL = 512;

    private final boolean markers;
    private final boolean crc;
    private long position;
    private int markersMade;

    public Framer(boolean markers, boolean crc) {
        this.markers = markers;
        this.crc = crc;
    }

    /** Deliberate faults of an FPDU. */
    public enum Flaw {
        NONE,
        /** One bit of the CRC is flipped. */
        CRC,
        /** The bytes of the CRC are in reverse order. */
        CRC_SWAPPED,
        /** The pad is all ones, with a matching CRC: legal. */
        PAD_ONES,
        /** The pad is all ones, with the CRC of a zero pad. */
        PAD_CRC,
        /** The reserved half of each Marker is not zero, with a matching CRC: legal. */
        MARKER_RESERVED,
        /** Each Marker points elsewhere, with a matching CRC. */
        MARKER_POINTER,
        /** The CRC field holds a wrong value: legal if CRCs are not in use. */
        CRC_GARBAGE
    }

    /** The bytes of the next FPDU. */
    public byte[] frame(byte[] ulpdu) {
        return frame(ulpdu, Flaw.NONE);
    }

    /** The bytes of the next FPDU, with one fault. */
    public byte[] frame(byte[] ulpdu, Flaw flaw) {
        return frame(ulpdu, ulpdu.length, flaw);
    }

    /** The bytes of the next FPDU, whose ULPDU_Length states {@code declared}. */
    public byte[] frame(byte[] ulpdu, int declared, Flaw flaw) {
        int pad = -(2 + ulpdu.length) & 3;
        Octets body = new Octets().u16(declared).add(ulpdu);
        for (int i = 0; i < pad; i++) {
            body.u8(flaw == Flaw.PAD_ONES || flaw == Flaw.PAD_CRC ? 0xFF : 0);
        }
        byte[] words = body.bytes();
        Octets out = new Octets();
        // RFC 5044 §4.3: a Marker that is due at the start of the FPDU precedes its length and has FPDUPTR 0.
        if (markers && position % INTERVAL == 0) {
            marker(out, 0, flaw);
        }
        long start = position + out.size();
        for (int i = 0; i < words.length; i += 4) {
            long here = position + out.size();
            if (markers && here % INTERVAL == 0 && here != start) {
                marker(out, here - start, flaw);
            }
            out.add(words[i], words[i + 1], words[i + 2], words[i + 3]);
        }
        // RFC 5044 §4.3: a Marker that is due between the pad and the CRC belongs to this FPDU and to its CRC.
        long here = position + out.size();
        if (markers && here % INTERVAL == 0) {
            marker(out, here - start, flaw);
        }
        out.add(crc(out.bytes(), pad, flaw));
        position += out.size();
        return out.bytes();
    }

    private void marker(Octets out, long pointer, Flaw flaw) {
        markersMade++;
        out.u16(flaw == Flaw.MARKER_RESERVED ? 0xBEEF : 0);
        out.u16((int) (flaw == Flaw.MARKER_POINTER ? pointer + 8 : pointer));
    }

    private byte[] crc(byte[] covered, int pad, Flaw flaw) {
        if (flaw == Flaw.CRC_GARBAGE) {
            return Octets.hex("DEADBEEF");
        }
        if (!crc) {
            return new byte[4];
        }
        if (flaw == Flaw.PAD_CRC) {
            for (int i = 0; i < pad; i++) {
                covered[covered.length - 1 - i] = 0;
            }
        }
        byte[] value = crcOnTheWire(covered, 0, covered.length);
        value[0] ^= (byte) (flaw == Flaw.CRC ? 1 : 0);
        return flaw == Flaw.CRC_SWAPPED ? new byte[] {value[3], value[2], value[1], value[0]} : value;
    }

    /** CRC32C in the order of the wire: least significant byte first (RFC 5044 §4.4, figure 5). */
    public static byte[] crcOnTheWire(byte[] octets, int at, int length) {
        CRC32C crc = new CRC32C();
        crc.update(octets, at, length);
        long value = crc.getValue();
        return new byte[] {(byte) value, (byte) (value >>> 8), (byte) (value >>> 16), (byte) (value >>> 24)};
    }

    /** Bytes made so far. */
    public long position() {
        return position;
    }

    /** Counts bytes that were sent without this framer. */
    public void skip(int octets) {
        position += octets;
    }

    /** Markers made so far. */
    public int markersMade() {
        return markersMade;
    }
}
