package dev.jwarp.messaging;

import dev.jwarp.verbs.WorkCompletion;

/** What a work request belongs to. */
interface Operation {
    /** A work request has completed; under the lock of the endpoint. */
    void completed(WorkCompletion completion);
}
