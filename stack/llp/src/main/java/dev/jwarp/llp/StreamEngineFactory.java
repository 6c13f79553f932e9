package dev.jwarp.llp;

/**
 * Creates the engines of a driver (java.nio, Netty, the simulator), which needs to know nothing else about the protocol
 * over its byte streams. A factory and its engines have one owner, so that they can share buffers and pools: a driver
 * with several threads has one factory per thread.
 */
public interface StreamEngineFactory {
    /**
     * Creates an engine for a stream that this side connects. The driver next calls {@link StreamEngine#onConnected} or
     * {@link StreamEngine#onConnectFailed}.
     *
     * @param offer parameters of the Request
     * @param timeoutNanos timeout of the whole start-up from {@code nowNanos} on, including the connect of the byte
     *     stream; {@link StreamEngine#nextTimeout} includes it from the start
     */
    StreamEngine initiator(
            StreamDriver driver,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler,
            long nowNanos);

    /**
     * Creates an engine for a stream that a listener of this side accepted. The driver next calls
     * {@link StreamEngine#onConnected}.
     *
     * @param handler handler of the listener; gets {@link ConnectionHandler#onRequest} after a valid Request
     */
    StreamEngine responder(StreamDriver driver, ConnectionHandler handler, long nowNanos);
}
