package dev.jwarp.transport.tcp;

import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.FpduAssembler;
import dev.jwarp.mpa.FpduBatch;

/**
 * Whose FPDUs have a CRC field where CRCs are not in use. RFC 5044 §4.1 has it in all (MPA-4.1-5); there are peers that leave it out. In a
 * direction with CRCs or Markers it is always there.
 */
enum CrcField {
    /** Those of both sides, as RFC 5044 wants it. */
    BOTH,
    /** Only ours: the peer leaves it out, and reads it. */
    OURS,
    /** No side's: the peer neither writes nor reads it. */
    NONE;

    /** {@return what takes the peer's FPDUs apart} */
    FpduAssembler assembler(Agreement agreement, BufferPool pool) {
        return this == BOTH || agreement.crc() || agreement.receiveMarkers()
                ? new FpduAssembler(agreement.crc(), agreement.receiveMarkers(), pool)
                : FpduAssembler.withoutCrcField(pool);
    }

    /** {@return whether our FPDUs have the field} */
    boolean isSent(boolean crc, boolean markers) {
        return this != NONE || crc || markers;
    }

    /** Makes a batch ready for our FPDUs; {@code streamOffset} is that of {@link FpduBatch#reset}. */
    void reset(FpduBatch batch, boolean crc, boolean markers, long streamOffset) {
        if (isSent(crc, markers)) {
            batch.reset(crc, markers, streamOffset);
        } else {
            batch.resetWithoutCrcField(streamOffset);
        }
    }
}
