package dev.jwarp.conformance.decode;

import java.util.Locale;

/** The state of a CRC field; later constants are worse. */
public enum Crc {
    /** The CRC is right. */
    OK,
    /** The CRC is right by a wrong rule of the sender, which an earlier note has named. */
    OWN,
    /** CRCs were negotiated to be off; or the negotiation was not captured, and no CRC was right so far. */
    OFF,
    /** There is no CRC field: an earlier note says that the sender leaves it out. */
    NONE,
    /** Bytes of the FPDU are missing from the capture. */
    CUT,
    /** The CRC is wrong. */
    BAD;

    /** The word in the output. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
