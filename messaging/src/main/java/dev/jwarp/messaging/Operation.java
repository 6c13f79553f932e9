package dev.jwarp.messaging;

import dev.jwarp.verbs.WorkCompletion;

/** What a work request without a slot belongs to. */
interface Operation {
    /** {@return the peer that the work request goes to} */
    Peer peer();

    /** A work request has completed; under the lock of the endpoint. */
    void completed(WorkCompletion completion);
}
