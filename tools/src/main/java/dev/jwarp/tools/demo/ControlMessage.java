package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.ToolFailure;
import java.nio.ByteBuffer;

/**
 * What the two ends of the demo say to each other, as Sends of 40 bytes. The file moves in windows; for each window:
 *
 * <pre>
 *   Write:  client READY, server GO, client writes, client END, server DONE
 *   Read:   client READY, server reads,                         server DONE
 *   Send:   client READY, server GO, client sends,              server DONE
 * </pre>
 *
 * <pre>
 *   0: kind (2) | 2: operation (2) | 4: length of the window (4) | 8: STag (4) | 12: "jwrp" (4) |
 *   16: place in the file (8) | 24: address (8) | 32: time (8)
 * </pre>
 *
 * <p>The four letters keep packet analysers from taking the message for RPC over RDMA, which has its type there.
 *
 * <p>A view over one buffer.
 */
final class ControlMessage {
    static final int LENGTH = 40;

    private static final int KIND_OFFSET = 0;
    private static final int OPERATION_OFFSET = 2;
    private static final int LENGTH_OFFSET = 4;
    private static final int STAG_OFFSET = 8;
    private static final int MARK_OFFSET = 12;
    private static final int PLACE_OFFSET = 16;
    private static final int ADDRESS_OFFSET = 24;
    private static final int TIME_OFFSET = 32;

    private static final int MARK = 0x6a77_7270;

    /** The steps of one window, and the end. */
    enum Kind {
        READY(1),
        GO(2),
        END(3),
        DONE(4),
        BYE(5);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private final ByteBuffer octets;

    /** @param octets at least 40, big-endian */
    ControlMessage(ByteBuffer octets) {
        this.octets = octets;
    }

    void write(Kind kind, Operation operation, long place, int length) {
        octets.putShort(KIND_OFFSET, (short) kind.code)
                .putShort(OPERATION_OFFSET, (short) operation.code())
                .putInt(MARK_OFFSET, MARK)
                .putLong(PLACE_OFFSET, place)
                .putInt(LENGTH_OFFSET, length)
                .putInt(STAG_OFFSET, 0)
                .putLong(ADDRESS_OFFSET, 0)
                .putLong(TIME_OFFSET, 0);
    }

    void memory(long address, int stag) {
        octets.putLong(ADDRESS_OFFSET, address).putInt(STAG_OFFSET, stag);
    }

    void time(long nanos) {
        octets.putLong(TIME_OFFSET, nanos);
    }

    Kind kind() {
        int code = octets.getShort(KIND_OFFSET);
        for (Kind kind : Kind.values()) {
            if (kind.code == code && octets.getInt(MARK_OFFSET) == MARK) {
                return kind;
            }
        }
        throw damaged();
    }

    Operation operation() {
        int code = octets.getShort(OPERATION_OFFSET);
        for (Operation operation : Operation.values()) {
            if (operation.code() == code) {
                return operation;
            }
        }
        throw damaged();
    }

    private static ToolFailure damaged() {
        return ToolFailure.failed("a control message of the demo arrived damaged");
    }

    long place() {
        return octets.getLong(PLACE_OFFSET);
    }

    int length() {
        return octets.getInt(LENGTH_OFFSET);
    }

    int stag() {
        return octets.getInt(STAG_OFFSET);
    }

    long address() {
        return octets.getLong(ADDRESS_OFFSET);
    }

    long time() {
        return octets.getLong(TIME_OFFSET);
    }
}
