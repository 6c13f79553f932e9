package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Calls that may be refused, for the reasons that are documented. Threads: any. */
final class Calls {
    /** What posting to a queue pair that is not working, or memory that is gone, is refused with. */
    static final Set<RdmaErrorCode> POSTING = EnumSet.of(
            RdmaErrorCode.QUEUE_FULL, RdmaErrorCode.WRONG_STATE, RdmaErrorCode.INVALID_LKEY, RdmaErrorCode.CLOSED);

    /** As {@link #POSTING}, where a memory window is bound. */
    static final Set<RdmaErrorCode> BINDING = EnumSet.of(
            RdmaErrorCode.QUEUE_FULL,
            RdmaErrorCode.WRONG_STATE,
            RdmaErrorCode.INVALID_LKEY,
            RdmaErrorCode.INVALID_ARGUMENT,
            RdmaErrorCode.CLOSED);

    /** What changing something is refused with that is in another state, or gone. */
    static final Set<RdmaErrorCode> CHANGING = EnumSet.of(RdmaErrorCode.WRONG_STATE, RdmaErrorCode.CLOSED);

    /** What setting up a connection is refused with that another thread closes, or that its peer gives up. */
    static final Set<RdmaErrorCode> CONNECTING =
            EnumSet.of(RdmaErrorCode.WRONG_STATE, RdmaErrorCode.CLOSED, RdmaErrorCode.CLOSED_BY_PEER);

    /** What closing something is refused with that others use. */
    static final Set<RdmaErrorCode> CLOSING = EnumSet.of(RdmaErrorCode.RESOURCE_BUSY);

    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** {@return what {@code call} says; false if it was refused for one of the reasons} */
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

    /** Does it; it may be refused for one of the reasons. */
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
