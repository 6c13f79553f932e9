package dev.jwarp.messaging;

/** Gets messages as they arrive; see {@link MessageEndpoint#onMessage}. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Handles one message. Calls never overlap. With threaded progress usually an event loop calls the handler, so it
     * must not block; it may send. Exceptions are logged.
     *
     * @param message closed after the call, unless the handler keeps it
     */
    void onMessage(Message message);
}
