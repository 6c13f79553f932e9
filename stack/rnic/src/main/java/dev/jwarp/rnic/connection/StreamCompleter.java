package dev.jwarp.rnic.connection;

import dev.jwarp.llp.Deferring;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.ReceiveDetails;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.HeldCompletion;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.connection.StreamCommands.Command;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the completions of one stream in order, each when the slot of its work request is free. Owner of the
 * connection only. Each stream has its own object, whose held completions are published by {@link #end} at the latest;
 * a late call publishes nothing. Requests without a stream are completed by {@link Completer#flush}, which holds
 * nothing.
 */
final class StreamCompleter {
    private final Completer completer;
    private final HeldCompletion heldSend;
    private final HeldCompletion heldReceive;
    private final StreamCommands commands;
    private boolean lost;

    /**
     * The completer of one stream.
     *
     * @param commands get a TERMINATE when completions are lost because a completion queue has overflowed
     */
    StreamCompleter(Completer completer, StreamCommands commands) {
        this.completer = completer;
        this.commands = commands;
        heldSend = new HeldCompletion(completer.sendCompletions());
        heldReceive = new HeldCompletion(completer.receiveCompletions());
    }

    void sendCompleted(SendOperation operation, OperationStatus status) {
        heldReceive.release(); // its slot is free by now, and that completion is older
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
            commands.add(Command.TERMINATE);
        }
    }

    /** The slots of completed requests are free: publishes the completions. */
    void release() {
        heldSend.release();
        heldReceive.release();
    }

    /** Delivers published completions to the program's handlers after the current call of the owner. */
    void deliver(Deferring lower) {
        heldSend.deliver(lower);
        heldReceive.deliver(lower);
    }

    /** Publishes the last completions at the end of the stream; none may follow. */
    void end() {
        heldSend.end();
        heldReceive.end();
    }
}
