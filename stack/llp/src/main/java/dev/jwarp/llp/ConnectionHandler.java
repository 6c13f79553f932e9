package dev.jwarp.llp;

/** Callbacks about the start-up of connections, implemented by the connection manager. Called by the owner. */
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

    /** Initiator: the peer rejected the connection, with private data. The connection has ended. */
    void onRejected(LlpConnection connection, StartParameters peer);

    /** Start-up failed. The connection has ended. {@code sentence} describes the failure and names the peer. */
    void onFailed(LlpConnection connection, LlpFailure failure, String sentence);
}
