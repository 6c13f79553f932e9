package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;

/**
 * The VERSION LIST: a datagram of version 0, the same in all versions (§4.7, DG-4.7-1). Its format is a shim and a CRC;
 * the versions are in the field of the Message Length.
 *
 * <p>No state; any thread.
 */
public final class VersionList {
    /** The versions, bit v for version v. */
    public static final int VERSIONS_OFFSET = ShimHeader.MESSAGE_LENGTH_OFFSET;
    /** Zero (32). */
    public static final int ZERO_OFFSET = ShimHeader.SEGMENT_INDEX_OFFSET;
    /** Octets of the datagram. */
    public static final int DATAGRAM_LENGTH = ShimHeader.LENGTH + Crc.LENGTH;
    /** The versions of this end. */
    public static final int VERSIONS = 1 << ShimHeader.VERSION;

    private VersionList() {}

    /**
     * Writes the answer to a datagram of another version, without the CRC.
     *
     * @param offender the invariant fields of that datagram: QPNs, Key, Message Id
     * @return octets written
     */
    public static int write(ByteBuffer out, int at, Shim offender) {
        // datagram-iWARP §4.7: octet 0 is 0x0F, only R is set, the QPNs are swapped, Key and Message Id are copied.
        out.putInt(at + ShimHeader.DESTINATION_WORD_OFFSET, Kind.VERSION_LIST.octet() << 24 | offender.sourceQpn());
        out.putInt(at + ShimHeader.SOURCE_WORD_OFFSET, ShimHeader.REPLY << 24 | offender.destinationQpn());
        out.putInt(at + ShimHeader.KEY_OFFSET, offender.key());
        out.putInt(at + ShimHeader.MESSAGE_ID_OFFSET, offender.messageId());
        out.putInt(at + VERSIONS_OFFSET, VERSIONS);
        out.putInt(at + ZERO_OFFSET, 0);
        return ShimHeader.LENGTH;
    }
}
