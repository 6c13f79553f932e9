package dev.jwarp.conformance.decode;

import java.util.Locale;

/** What is to be said about a CRC field. The later the worse. */
public enum Crc {
    /** It is right. */
    OK,
    /** It is right by a rule of the sender's own, which a remark has named. */
    OWN,
    /** CRCs were negotiated to be off; or the negotiation was not captured, and no CRC was right so far. */
    OFF,
    /** There is none: a remark has said that the sender leaves the field out. */
    NONE,
    /** Octets of the FPDU are missing from the capture. */
    CUT,
    /** It is wrong. */
    BAD;

    /** As it stands in the output. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
