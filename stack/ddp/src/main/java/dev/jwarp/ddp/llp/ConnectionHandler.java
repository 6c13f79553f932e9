package dev.jwarp.ddp.llp;

/** Told about the start-up of connections; implemented by the connection manager. Calls come from the owner. */
public interface ConnectionHandler {
    /**
     * Responder: a valid Request came. Answer with {@link LlpConnection#accept} or {@link LlpConnection#reject}, now or
     * later; the transport gives up after its own deadline and calls {@link #onFailed}.
     */
    void onRequest(LlpConnection connection, StartParameters peer);

    /**
     * Start-up is complete; called after {@link UpperLayer#onEstablished}. The responder of a peer-to-peer set-up gets it
     * when the ready-to-receive message has come, any other responder when its Reply is sent.
     */
    void onEstablished(LlpConnection connection, StartParameters peer);

    /** Initiator: the peer refused, with its private data. The connection is over. */
    void onRejected(LlpConnection connection, StartParameters peer);

    /** Start-up failed. The connection is over. {@code sentence} says what happened and names the peer. */
    void onFailed(LlpConnection connection, LlpFailure failure, String sentence);
}
