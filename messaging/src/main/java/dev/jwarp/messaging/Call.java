package dev.jwarp.messaging;

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
        if (getNumberOfDependents() == 0) {
            got = got.copied(); // a program that collects its futures holds no receives
        }
        if (!complete(got)) {
            got.close();
        }
    }
}
