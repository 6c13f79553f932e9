package dev.jwarp.transport.tcp;

import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.FpduAssembler;
import dev.jwarp.mpa.FpduBatch;

/**
 * Which side's FPDUs have a CRC field if CRCs are not in use. RFC 5044 §4.1 requires the field in all FPDUs
 * (MPA-4.1-5); some peers omit it. A direction with CRCs or Markers always has it.
 */
enum CrcField {
    /** Both sides' FPDUs, as RFC 5044 requires. */
    BOTH,
    /** Only this side's: the peer omits the field, but accepts it. */
    OURS,
    /** Neither side's: the peer neither writes nor accepts the field. */
    NONE;

    /** {@return the assembler of the peer's FPDUs} */
    FpduAssembler assembler(Agreement agreement, BufferPool pool) {
        return this == BOTH || agreement.crc() || agreement.receiveMarkers()
                ? new FpduAssembler(agreement.crc(), agreement.receiveMarkers(), pool)
                : FpduAssembler.withoutCrcField(pool);
    }

    /** {@return whether this side's FPDUs have the field} */
    boolean isSent(boolean crc, boolean markers) {
        return this != NONE || crc || markers;
    }

    /** Prepares a batch for this side's FPDUs; {@code streamOffset} is that of {@link FpduBatch#reset}. */
    void reset(FpduBatch batch, boolean crc, boolean markers, long streamOffset) {
        if (isSent(crc, markers)) {
            batch.reset(crc, markers, streamOffset);
        } else {
            batch.resetWithoutCrcField(streamOffset);
        }
    }
}
