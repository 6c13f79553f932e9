package dev.jwarp.llp;

import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a transport, with its listeners and connections. An <em>inline</em> transport makes progress only
 * while a thread calls {@link #poll} or {@link #await}: the caller owns all its connections. A <em>threaded</em>
 * transport has its own threads.
 */
public interface Transport extends Progressing {
    /** A listener; close it to stop listening. Accepted connections are not affected. */
    interface Listener extends AutoCloseable {
        /** {@return the bound address, with the real port} */
        InetSocketAddress localAddress();

        /**
         * Sets a function that chooses the listener of each connection on a shared port. Any thread.
         *
         * @param chooser gets the peer's address and returns this listener, one that listens with it, or null for the
         *     default choice. Called by the owner of this listener; an exception ends the connection
         * @return false if listeners of this kind do not support that, or this listener does not own the port
         */
        default boolean choosing(Function<InetSocketAddress, @Nullable Listener> chooser) {
            return false;
        }

        @Override
        void close();
    }

    /**
     * Listens. Any thread.
     *
     * @param backlog maximum number of connections that wait for the layer above
     * @throws LlpException if the address cannot be bound
     */
    Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler);

    /**
     * Shares the port of a listener of this or another transport of the same kind: connections are distributed over all
     * listeners of the port before any of their bytes are read. Closing the owner of the port ends the port. Any
     * thread.
     *
     * @param backlog maximum number of connections that wait for this transport; others get the rest
     * @return null if transports of this kind do not support that, or {@code with} is of another kind
     * @throws LlpException REFUSED if the port is closed, because its owner was closed before {@code with}
     */
    default @Nullable Listener listen(Listener with, int backlog, ConnectionHandler handler) {
        return null;
    }

    /**
     * Starts to connect; {@code handler} gets the outcome. Any thread.
     *
     * @param local the address to connect from, or null for any
     * @param offer parameters of the Request
     * @param timeoutNanos timeout of the whole start-up
     */
    LlpConnection connect(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler);

    /** Closes everything: aborts connections, closes listeners. */
    @Override
    void close();
}
