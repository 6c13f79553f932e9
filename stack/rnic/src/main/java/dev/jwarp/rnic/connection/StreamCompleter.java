package dev.jwarp.rnic.connection;

import dev.jwarp.llp.Deferring;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.ReceiveDetails;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.HeldCompletion;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.connection.StreamWishes.Wish;
import org.jspecify.annotations.Nullable;

/**
 * Completes what one stream has finished, in the stream's order, each when the slot of its work request is free. Owner of the
 * connection only. It lives as long as the stream: what it keeps back belongs to it alone, and after {@link #end} there is
 * nothing in it that a late call could let out. What ends without a stream is completed by {@link Completer#flush}, which
 * keeps nothing back and knows nothing of this.
 */
final class StreamCompleter {
    private final Completer completer;
    private final HeldCompletion heldSend;
    private final HeldCompletion heldReceive;
    private final StreamWishes wishes;
    private boolean lost;

    /**
     * Creates one for one stream.
     *
     * @param wishes get one, that the stream ends, when completions are lost because a completion queue has overflowed
     */
    StreamCompleter(Completer completer, StreamWishes wishes) {
        this.completer = completer;
        this.wishes = wishes;
        heldSend = new HeldCompletion(completer.sendCompletions());
        heldReceive = new HeldCompletion(completer.receiveCompletions());
    }

    void sendCompleted(SendOperation operation, OperationStatus status) {
        heldReceive.release(); // its slot is free by now, and it came before
        hold(heldSend, completer.sendCompleted(operation, status), completer.sendCompletions());
    }

    void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details) {
        heldSend.release();
        Completion entry = status == OperationStatus.SUCCESS
                ? completer.receiveCompleted(operation, details)
                : completer.receiveFailed(operation, status);
        hold(heldReceive, entry, completer.receiveCompletions());
    }

    private void hold(HeldCompletion held, @Nullable Completion entry, RnicCompletionQueue queue) {
        if (entry != null) {
            held.hold(entry);
        } else if (!lost && queue.hasOverflowed()) {
            lost = true;
            completer.explain("This side ended the stream: " + queue.overflowSentence() + ".");
            wishes.add(Wish.TERMINATE);
        }
    }

    /** The slots of all that has completed are free. */
    void release() {
        heldSend.release();
        heldReceive.release();
    }

    /** Has what went out handed to the program's handlers when the owner is out of its call. */
    void deliver(Deferring lower) {
        heldSend.deliver(lower);
        heldReceive.deliver(lower);
    }

    /** The stream is over: the last completions go out, and it completes nothing more. */
    void end() {
        heldSend.end();
        heldReceive.end();
    }
}
