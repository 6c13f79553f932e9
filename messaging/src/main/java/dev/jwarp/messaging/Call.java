package dev.jwarp.messaging;

import dev.jwarp.verbs.RdmaException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call that waits for its reply. Cancelled or not, a later reply is closed unseen. */
final class Call extends CompletableFuture<Message> {
    final Peer peer;
    final long correlation;
    /** Nanoseconds, on the clock of the endpoint. */
    final long deadline;
    /** The long question. */
    @Nullable
    LongSend question;

    /** Whether the question was sent, so that a receive is reserved for the reply. */
    boolean sent;

    /** The reply, until the call completes. */
    @Nullable
    Message reply;

    Call(Peer peer, long correlation, long deadline) {
        this.peer = peer;
        this.correlation = correlation;
        this.deadline = deadline;
    }

    /** Completes with the reply; without a lock, because it runs the program's code. */
    void end() {
        Message got = Objects.requireNonNull(reply);
        whenFree(() -> {
            // A program that collects its futures holds no receives.
            Message its = getNumberOfDependents() == 0 ? got.copied() : got;
            if (!complete(its)) {
                its.close();
            }
        });
    }

    /** Fails; without a lock. */
    void fail(RdmaException cause) {
        whenFree(() -> completeExceptionally(cause));
    }

    /** The buffers of a long question are the program's again when the call completes. */
    private void whenFree(Runnable then) {
        if (question == null) {
            then.run();
        } else {
            CompletableFuture<Void> unused = question.future.whenComplete((done, failure) -> then.run());
        }
    }
}
