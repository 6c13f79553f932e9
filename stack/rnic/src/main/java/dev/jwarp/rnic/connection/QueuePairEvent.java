package dev.jwarp.rnic.connection;

import dev.jwarp.verbs.QueuePairState;
import org.jspecify.annotations.Nullable;

/** What moves a queue pair along {@link QueuePairTransitions}. */
enum QueuePairEvent {
    MODIFY_TO_RESET,
    MODIFY_TO_INIT,
    MODIFY_TO_RTS,
    MODIFY_TO_SQD,
    MODIFY_TO_ERR,
    /** A connection is about to be made. */
    BEGUN,
    /** The call that was to make it threw. */
    UNBEGUN,
    ESTABLISHED,
    /** The connection is established no longer. */
    STREAM_ENDS,
    /** There is no connection any more. */
    RELEASED,
    CLOSE,
    /** All that closing has to do is done. */
    FORGOTTEN;

    /** {@return the program's wish to be in that state; null if no program can bring it there} */
    static @Nullable QueuePairEvent modifyTo(QueuePairState target) {
        return switch (target) {
            case RESET -> MODIFY_TO_RESET;
            case INIT -> MODIFY_TO_INIT;
            case RTS -> MODIFY_TO_RTS;
            case SQD -> MODIFY_TO_SQD;
            case ERR -> MODIFY_TO_ERR;
            case RTR, SQE -> null;
        };
    }
}
