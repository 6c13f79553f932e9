package dev.jwarp.mpa;

import java.nio.ByteBuffer;

/** Receives the verified ULPDUs of a {@link FpduAssembler}. */
@FunctionalInterface
public interface UlpduSink {
    /**
     * Receives one ULPDU, with CRC and Markers checked and Markers removed.
     *
     * @param buffer holds the ULPDU; valid during this call only. Read it by absolute index; do not touch its position
     *     and limit.
     * @param offset index of the first octet of the ULPDU
     * @param length octets of the ULPDU, 0 to {@link Fpdu#MAX_ULPDU_RECEIVED}; the layer above checks it
     * @return true to continue, false to stop after this ULPDU; the rest of the input is left for another call
     */
    boolean onUlpdu(ByteBuffer buffer, int offset, int length);
}
