package dev.jwarp.rnic.queuepair;

import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The common part of queue pairs of all types: identity, attributes, and the objects that the queue pair uses. Any
 * thread.
 *
 * @param <C> type of the completer
 */
public abstract class QueuePairBase<C extends QueuePairCompleter> implements QueuePair, RnicCompletionQueue.User {
    private final int number;
    private final RnicProtectionDomain domain;
    private final QueuePairAttributes attributes;
    private final @Nullable RnicSharedReceiveQueue shared;
    private final C completer;
    private volatile @Nullable Object attachment;

    /** A queue pair with the program's {@code attributes}. */
    protected QueuePairBase(RnicProtectionDomain domain, QueuePairAttributes attributes, C completer) {
        number = completer.queuePairNumber();
        this.domain = domain;
        this.attributes = attributes;
        shared = domain.sharedReceiveQueue(attributes);
        this.completer = completer;
    }

    /** {@return whether the queue pair is closed} */
    public abstract boolean closed();

    /** Throws CLOSED if the queue pair is closed, or WRONG_STATE if the caller may not use its context. */
    public final void checkOpen() {
        domain.core().progression().checkThread();
        if (closed()) {
            throw new RdmaException(RdmaErrorCode.CLOSED, this + " is closed.");
        }
    }

    /**
     * Registers the queue pair with its completion queues, shared receive queue and domain. After an exception, {@link
     * #leave} has to follow.
     */
    public final void join() {
        completer.sendCompletions().addUser(this);
        completer.receiveCompletions().addUser(this);
        if (shared != null) {
            shared.addUser(this);
        }
        domain.add(this);
    }

    /** Undoes {@link #join}. */
    public void leave() {
        completer.sendCompletions().removeUser(this);
        completer.receiveCompletions().removeUser(this);
        if (shared != null) {
            shared.removeUser(this);
        }
        domain.forget(this);
    }

    @Override
    public final int mostOn(RnicCompletionQueue queue) {
        if (reserves()) {
            return 0;
        }
        int most = completer.sendCompletions() == queue ? attributes.maxSendWorkRequests() : 0;
        return completer.receiveCompletions() == queue && shared == null
                ? most + attributes.maxReceiveWorkRequests()
                : most;
    }

    /** {@return the beginning of the message for a full queue} */
    public final String full(String queue, int limit) {
        return "The " + queue + " queue of " + this + " is full: all its " + limit + " work requests are outstanding";
    }

    /** Throws INVALID_ARGUMENT if receives are posted to a shared receive queue instead. */
    public final void checkOwnReceives() {
        if (shared != null) {
            checkOpen();
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, this + " takes its receives from " + shared + ": post them there.");
        }
    }

    public final C completer() {
        return completer;
    }

    /** {@return the shared receive queue; null if there is none} */
    public final @Nullable RnicSharedReceiveQueue shared() {
        return shared;
    }

    @Override
    public final RnicProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public final int number() {
        return number;
    }

    @Override
    public final QueuePairAttributes attributes() {
        return attributes;
    }

    @Override
    public final @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public final void attach(@Nullable Object object) {
        attachment = object;
    }

    @Override
    public final String toString() {
        return "queue pair " + number;
    }
}
