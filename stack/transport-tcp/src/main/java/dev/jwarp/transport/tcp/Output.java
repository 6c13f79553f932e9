package dev.jwarp.transport.tcp;

import dev.jwarp.base.Share;
import dev.jwarp.mpa.FpduBatch;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The output of one engine: a start-up frame, a batch of FPDUs, or the rest of a batch whose send buffer another
 * connection needed. So a peer that does not read holds no send buffer, only memory of the size of the unread octets.
 * That memory has a limit too; at the limit the connection that holds most of it for longest is ended. Owner thread
 * only.
 */
final class Output {
    /** If TCP has accepted nothing from a connection for this time, its peer does not read. */
    static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time between two requests for a send buffer. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final ByteBuffer[] NO_FRAME = {};

    private final MpaEngine engine;
    /** The start-up frame to write, or none. */
    private ByteBuffer[] frame = NO_FRAME;

    /** The batch that is being filled, not written yet. */
    private @Nullable FpduBatch filling;

    private @Nullable FpduBatch batch;

    /** The rest of a batch that was returned, and the part of it that the driver has not reported as written. */
    private ByteBuffer @Nullable [] rest;

    private long restLeft;

    /** Whether TCP did not accept the last batch in one write, so it still has octets to send. */
    private boolean heldUp;

    private @Nullable Share buffers;
    private @Nullable Share memory;

    Output(MpaEngine engine) {
        this.engine = engine;
    }

    private Share buffers(long nowNanos) {
        Share share = buffers;
        if (share == null) {
            share = pool().join(engine.source(), this::shrink, nowNanos);
            buffers = share;
        }
        return share;
    }

    private BatchPool pool() {
        return engine.factory().batches();
    }

    boolean isEmpty() {
        return frame == NO_FRAME && batch == null && rest == null;
    }

    /**
     * {@return whether {@link #fill} would return a batch now} Another connection may have to return its own for that.
     */
    boolean canFill(long nowNanos) {
        return pool().isFree() || pool().isAvailable(buffers(nowNanos), nowNanos);
    }

    /** {@return when to call {@link #canFill} again after it returned false, unless a buffer is returned earlier} */
    long askAgain(long nowNanos) {
        return buffers(nowNanos).askAgain(PAUSE_NANOS, nowNanos);
    }

    /** The driver is woken when a buffer is returned. */
    void startWaiting() {
        pool().await(engine.driver());
    }

    /** The engine has a buffer or no longer needs one. */
    void stopWaiting() {
        pool().stopWaiting(engine.driver());
    }

    /** {@return a batch to fill, which the caller resets; only after {@link #canFill} returned true} */
    FpduBatch fill(long nowNanos) {
        FpduBatch taken = pool().acquire(buffers(nowNanos), nowNanos);
        filling = taken;
        return taken;
    }

    /** {@return the batch being filled, null if there is none} */
    @Nullable
    FpduBatch filling() {
        return filling;
    }

    /** The batch is filled, to be written next. */
    void filled() {
        batch = filling;
        filling = null;
        heldUp = false;
    }

    /** Sets the start-up frame to write. */
    void frame(ByteBuffer bytes) {
        frame = new ByteBuffer[] {bytes};
    }

    ByteBuffer[] buffers() {
        if (rest != null) {
            return rest;
        }
        return batch == null ? frame : batch.slices();
    }

    int count() {
        if (rest != null) {
            return rest.length;
        }
        if (batch != null) {
            batch.slices();
            return batch.sliceCount();
        }
        return frame.length;
    }

    /** {@return whether TCP did not accept the last batch in one write} */
    boolean wasHeldUp() {
        return heldUp;
    }

    /** {@return whether all output is written now} */
    boolean written(long octets, long nowNanos) {
        if (rest != null) {
            restLeft -= octets;
            if (memory != null) {
                memory.moved(nowNanos);
            }
            return restLeft == 0;
        }
        if (batch != null) {
            batch.written(octets);
            heldUp |= batch.remaining() > 0;
            return batch.remaining() == 0;
        }
        return !frame[0].hasRemaining();
    }

    /** Another connection needs the send buffer. */
    private void shrink(long nowNanos) {
        FpduBatch full = batch;
        if (full == null) {
            return; // a call in progress is filling it
        }
        boolean kept;
        try {
            kept = keepRest(full, nowNanos);
        } catch (Throwable e) { // no memory: must not affect the requesting stream
            if (memory != null) {
                memory.give(memory.held());
            }
            end();
            return;
        }
        if (kept) {
            batch = null;
            give(full);
        } else {
            endIfStalled(nowNanos);
        }
    }

    /** {@return whether there was memory for the rest of a batch, which is moved to it} */
    private boolean keepRest(FpduBatch full, long nowNanos) {
        Share share = memory;
        if (share == null) {
            share = engine.factory().stalled().join(engine.source(), this::endIfStalled, nowNanos);
            memory = share;
        }
        if (!share.take(full.unsentBuffered(), nowNanos)) {
            return false;
        }
        ByteBuffer[] left = full.detach();
        engine.factory().counters().countShared(TcpCounter.BATCHES_TAKEN_BACK);
        restLeft = full.remaining();
        rest = left;
        return true;
    }

    /**
     * If the peer is only slow, or another connection was ended just now, this one keeps its memory and the other one
     * waits.
     */
    private void endIfStalled(long nowNanos) {
        if (!engine.isAborting()
                && engine.isStalled(STALLED_NANOS, nowNanos)
                && engine.factory().mayEndStalled(nowNanos)) {
            end();
        }
    }

    /** No begun FPDU may be omitted, so a connection whose octets cannot be kept ends. */
    private void end() {
        engine.factory().counters().countShared(TcpCounter.STALLED_ENDED);
        drop();
        engine.abort();
    }

    private void give(@Nullable FpduBatch used) {
        if (used != null && buffers != null) {
            pool().release(buffers, used);
        }
    }

    /** Drops all output, which is written or never will be. */
    void drop() {
        if (frame != NO_FRAME) { // most often it is: a write of a reference that stays the same costs as much as any
            // other
            frame = NO_FRAME;
        }
        FpduBatch used = batch;
        batch = null;
        give(used);
        FpduBatch half = filling;
        filling = null;
        give(half);
        if (rest != null) {
            rest = null;
            restLeft = 0;
            if (memory != null) {
                memory.give(memory.held());
            }
        }
    }

    /** The engine is over. */
    void leave() {
        pool().stopWaiting(engine.driver());
        drop();
        if (buffers != null) {
            buffers.leave();
        }
        if (memory != null) {
            memory.leave();
        }
    }
}
