package dev.jwarp.messaging;

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

    Call(Peer peer, long correlation, long deadline) {
        this.peer = peer;
        this.correlation = correlation;
        this.deadline = deadline;
    }
}
