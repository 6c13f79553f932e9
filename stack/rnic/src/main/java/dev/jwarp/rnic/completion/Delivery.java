package dev.jwarp.rnic.completion;

import dev.jwarp.base.Ringer;
import dev.jwarp.rnic.core.Serially;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.WorkCompletion;

/** Hands the completions of a queue to the program's handler, in batches. Any thread; allocates nothing. */
final class Delivery extends Serially {
    /** More than one call of an engine completes mostly. */
    private static final int BATCH = 64;

    private final RnicCompletionQueue queue;
    private final CompletionHandler handler;
    private final WorkCompletion[] batch;

    /** Has it done soon: once, however often that is asked for. */
    private final Ringer bell;

    Delivery(RnicCompletionQueue queue, CompletionHandler handler, Progression progression) {
        this.queue = queue;
        this.handler = handler;
        batch = WorkCompletion.array(Math.min(BATCH, queue.capacity()));
        bell = new Ringer(progression::later, this::rung);
    }

    /** Soon, on a thread that moves what the context has. Under any lock. */
    void askLater() {
        bell.ring();
    }

    private void rung() {
        bell.heard();
        queue.deliver();
    }

    @Override
    protected void doAll() {
        int left = queue.capacity();
        for (int count = queue.take(batch); count > 0; count = left > 0 ? queue.take(batch) : 0) {
            left -= count;
            try {
                handler.onCompletions(queue, batch, count);
            } catch (Throwable e) {
                queue.handlerFailed(batch, count, e);
            } finally {
                release(count);
            }
        }
        if (left <= 0) {
            askLater(); // a handler whose posts complete at once keeps nothing else waiting
        }
    }

    /** What the validity maps need is needed for other messages. */
    private void release(int count) {
        for (int i = 0; i < count; i++) {
            batch[i].release();
        }
    }
}
