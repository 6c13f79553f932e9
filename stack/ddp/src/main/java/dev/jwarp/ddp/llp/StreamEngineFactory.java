package dev.jwarp.ddp.llp;

/**
 * Makes the engines that a driver runs: the one thing a driver (java.nio, Netty, the simulator) has to know about the
 * protocol over its byte streams. A factory and all its engines have one owner, so that they may share buffers and
 * pools: a driver with several threads has one factory for each.
 */
public interface StreamEngineFactory {
    /**
     * An engine for a stream that this side is about to connect. The driver next calls
     * {@link StreamEngine#onConnected} or {@link StreamEngine#onConnectFailed}.
     *
     * @param offer what we say in the Request
     * @param timeoutNanos for the whole start-up, from {@code nowNanos}, the byte stream's own connect included:
     *     {@link StreamEngine#nextTimeout} counts from the first
     */
    StreamEngine initiator(
            StreamDriver driver,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler,
            long nowNanos);

    /**
     * An engine for a stream that a listener of this side took. The driver next calls
     * {@link StreamEngine#onConnected}.
     *
     * @param handler of the listener; gets {@link ConnectionHandler#onRequest} when a valid Request is there
     */
    StreamEngine responder(StreamDriver driver, ConnectionHandler handler, long nowNanos);
}
