package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.SerialTask;
import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.WorkCompletion;

/** Passes the completions of a queue to the program's handler, in batches. Any thread; allocates nothing. */
final class Delivery extends SerialTask {
    /** One call of an engine usually completes fewer work requests. */
    private static final int BATCH = 64;

    private final ContextCore core;
    private final RnicCompletionQueue queue;
    private final CompletionHandler handler;
    private final WorkCompletion[] batch;

    Delivery(ContextCore core, RnicCompletionQueue queue, CompletionHandler handler) {
        super(core.progression());
        this.core = core;
        this.queue = queue;
        this.handler = handler;
        batch = WorkCompletion.array(Math.min(BATCH, queue.capacity()));
    }

    @Override
    protected void doAll() {
        int left = queue.capacity();
        // Fewer than a batch are all there are: the producer of later ones asks anew.
        for (int count = next(left); count > 0; count = count < batch.length ? 0 : next(left)) {
            left -= count;
            try {
                handler.onCompletions(queue, batch, count);
            } catch (Throwable e) {
                queue.handlerFailed(batch, count, e);
            } finally {
                release(count);
            }
        }
        if (left <= 0 && queue.waiting() > 0) {
            askLater(); // a handler whose posts complete at once must not block other work
        }
    }

    private int next(int left) {
        return left <= 0 || queue.isClosed() ? 0 : queue.takeAlone(batch);
    }

    /** Releases the validity maps, whose records other messages need. */
    private void release(int count) {
        for (int i = 0; i < count; i++) {
            batch[i].release();
        }
    }

    @Override
    protected void failed(Throwable cause) {
        core.failed("completions of a queue could not be handed over", cause);
    }
}
