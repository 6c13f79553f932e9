package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Calls that may fail with documented errors. Threads: any. */
final class Calls {
    /** The errors of a post to a full queue, to a queue pair in another state, or with closed memory. */
    static final Set<RdmaErrorCode> POSTING = EnumSet.of(
            RdmaErrorCode.QUEUE_FULL, RdmaErrorCode.WRONG_STATE, RdmaErrorCode.INVALID_LKEY, RdmaErrorCode.CLOSED);

    /** As {@link #POSTING}, for binding a memory window. */
    static final Set<RdmaErrorCode> BINDING = EnumSet.of(
            RdmaErrorCode.QUEUE_FULL,
            RdmaErrorCode.WRONG_STATE,
            RdmaErrorCode.INVALID_LKEY,
            RdmaErrorCode.INVALID_ARGUMENT,
            RdmaErrorCode.CLOSED);

    /** The errors of a change of an object that is in another state, or closed. */
    static final Set<RdmaErrorCode> CHANGING = EnumSet.of(RdmaErrorCode.WRONG_STATE, RdmaErrorCode.CLOSED);

    /** The errors of a connection set-up that another thread closes, or that the peer gives up. */
    static final Set<RdmaErrorCode> CONNECTING =
            EnumSet.of(RdmaErrorCode.WRONG_STATE, RdmaErrorCode.CLOSED, RdmaErrorCode.CLOSED_BY_PEER);

    /** The errors of closing an object that is in use. */
    static final Set<RdmaErrorCode> CLOSING = EnumSet.of(RdmaErrorCode.RESOURCE_BUSY);

    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** {@return the result of {@code call}; false if it failed with one of these errors} */
    boolean allowed(Crew.Member me, String what, Set<RdmaErrorCode> reasons, BooleanSupplier call) {
        me.doing(what);
        calls.incrementAndGet();
        try {
            return call.getAsBoolean();
        } catch (RdmaException e) {
            if (!reasons.contains(e.code())) {
                throw new AssertionError(what + " was refused with " + e.code() + ": " + e.getMessage(), e);
            }
            refused.incrementAndGet();
            return false;
        }
    }

    /** Runs {@code call}, which may fail with one of these errors. */
    void allowed(Crew.Member me, String what, Set<RdmaErrorCode> reasons, Runnable call) {
        allowed(me, what, reasons, () -> {
            call.run();
            return true;
        });
    }

    long calls() {
        return calls.get();
    }

    long refused() {
        return refused.get();
    }
}
