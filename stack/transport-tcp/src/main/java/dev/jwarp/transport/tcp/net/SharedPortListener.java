package dev.jwarp.transport.tcp.net;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

/** A listener without a socket, which shares the port of another transport's listener. */
final class SharedPortListener implements Acceptors.Member {
    private final List<Acceptor> own;
    private final Acceptors acceptors;
    private final Consumer<SharedPortListener> onClosed;

    /** @param own acceptors of this transport */
    SharedPortListener(List<Acceptor> own, Acceptors acceptors, Consumer<SharedPortListener> onClosed) {
        this.own = own;
        this.acceptors = acceptors;
        this.onClosed = onClosed;
    }

    /** {@return whether this listener gets connections from now on} False if the port is closed. Any thread. */
    boolean begin() {
        own.forEach(Acceptor::noteListening);
        return acceptors.join(own);
    }

    @Override
    public InetSocketAddress localAddress() {
        return own.get(0).localAddress();
    }

    @Override
    public Acceptors acceptors() {
        return acceptors;
    }

    @Override
    public List<Acceptor> own() {
        return own;
    }

    /** Stops listening; queued sockets go to the other listeners. Any thread. */
    @Override
    public void close() {
        onClosed.accept(this);
        own.forEach(acceptors::leave);
    }
}
