package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.CmEvent;

/** What is attached to a connection id, and takes its events. */
interface CmEventTaker {
    /** Called by the thread that drives the context. Must not wait. */
    void on(CmEvent event);
}
