package dev.jwarp.transport.tcp;

import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.MpaError;
import java.nio.ByteBuffer;

/**
 * The Terminate of an initiator that cannot agree to the Reply (RFC 6581 §8, §9): its first and last FPDU. RDMAP, which
 * sends all other Terminates, does not exist yet during start-up.
 *
 * <pre>
 *   0: DDP control 41 | 1: RDMAP control 47 | 2: reserved (4) | 6: QN 2 (4) | 10: MSN 1 (4) | 14: MO 0 (4)
 *  18: Layer (4 bits) Error Type (4 bits) | 19: Error Code | 20: header flags, none | 21: reserved
 * </pre>
 */
final class StartTerminate {
    private static final int LENGTH = 22;
    private static final int CONTROL_OFFSET = 0;
    private static final int RESERVED_OFFSET = 2;
    private static final int QN_OFFSET = 6;
    private static final int MSN_OFFSET = 10;
    private static final int MO_OFFSET = 14;
    private static final int ERROR_OFFSET = 18;

    /** RFC 5041 §4.3: untagged, last segment, DDP version 1; RFC 5040 §4.3: RDMAP version 1, opcode 7. */
    private static final short CONTROL = 0x4147;

    private static final int TERMINATE_QN = 2; // RFC 5040 §4.8
    private static final int FIRST_MSN = 1;
    private static final int LAYER_LLP = 2; // RFC 6581 §8: layer 2 (LLP), error type 0 (MPA)

    private StartTerminate() {}

    /** Fills a batch with this one FPDU, with the negotiated framing. */
    static void fill(FpduBatch batch, MpaError error, Agreement framing, CrcField field) {
        field.reset(batch, framing.crc(), framing.sendMarkers(), 0);
        int at = batch.begin(LENGTH, 0);
        ByteBuffer out = batch.buffer();
        out.putShort(at + CONTROL_OFFSET, CONTROL);
        out.putInt(at + RESERVED_OFFSET, 0);
        out.putInt(at + QN_OFFSET, TERMINATE_QN);
        out.putInt(at + MSN_OFFSET, FIRST_MSN);
        out.putInt(at + MO_OFFSET, 0);
        out.putInt(at + ERROR_OFFSET, LAYER_LLP << 28 | error.code() << 16);
        batch.end();
    }
}
