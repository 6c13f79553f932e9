package dev.jwarp.ddp.llp;

import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a transport: its listeners, its connections, and how they make progress. <em>Inline</em> transports
 * move only while a thread calls {@link #poll} or {@link #await}: the caller is the owner of all their connections.
 * <em>Threaded</em> ones have threads of their own.
 */
public interface Transport extends Progressing {
    /** A listening address; close it to stop listening. Connections already accepted live on. */
    interface Listener extends AutoCloseable {
        /** {@return the bound address, with the real port} */
        InetSocketAddress localAddress();

        /**
         * Says which of those that listen here takes each connection that comes. Any thread.
         *
         * @param chooser is given the peer's address; answers with one that listens with this one, this one, or null for the one it would
         *     have without a choice. The owner of this listener; what it throws ends the connection
         * @return false if listeners of this kind cannot do that, or this one has not the port
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
     * @param backlog connections that may wait to be taken
     * @throws LlpException if the address cannot be bound
     */
    Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler);

    /**
     * Listens with a listener of this or of another transport of the same kind: the connections that come there are divided among
     * all that listen with it, before anything of them is read. No more come when the one that has the port is closed. Any thread.
     *
     * @param backlog connections that may wait until this transport comes to them; others get what is more
     * @return null if transports of this kind cannot do that, or {@code with} is of another kind
     * @throws LlpException REFUSED if the port is closed: {@code with} is not the one that had it
     */
    default @Nullable Listener listen(Listener with, int backlog, ConnectionHandler handler) {
        return null;
    }

    /**
     * Starts to connect; the outcome is told to {@code handler}. Any thread.
     *
     * @param local the address to connect from, or null for any
     * @param offer what we say in the Request
     * @param timeoutNanos for the whole start-up
     */
    LlpConnection connect(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler);

    /** Ends everything: connections are aborted, listeners closed. */
    @Override
    void close();
}
