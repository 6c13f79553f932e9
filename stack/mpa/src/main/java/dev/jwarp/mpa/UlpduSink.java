package dev.jwarp.mpa;

import java.nio.ByteBuffer;

/** Takes the verified ULPDUs of a {@link FpduAssembler}. */
@FunctionalInterface
public interface UlpduSink {
    /**
     * One whole ULPDU, its CRC and Markers checked and its Markers removed.
     *
     * @param buffer holds the ULPDU; valid during this call only. Read it by absolute index; do not touch its position
     *     and limit.
     * @param offset index of the first octet of the ULPDU
     * @param length octets of the ULPDU, 0 to {@link Fpdu#MAX_ULPDU_RECEIVED}: whether it makes sense is for the layer
     *     above to say
     * @return true to go on, false to stop behind this ULPDU; the rest of the input is then left for another call
     */
    boolean onUlpdu(ByteBuffer buffer, int offset, int length);
}
