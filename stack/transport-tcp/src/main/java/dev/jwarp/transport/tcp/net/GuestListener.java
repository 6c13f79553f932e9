package dev.jwarp.transport.tcp.net;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

/** Listens with the listener of another transport, without a socket of its own. */
final class GuestListener implements Acceptors.Member {
    private final List<Acceptor> own;
    private final Acceptors acceptors;
    private final Consumer<GuestListener> onClosed;

    /** @param own what takes connections of this transport */
    GuestListener(List<Acceptor> own, Acceptors acceptors, Consumer<GuestListener> onClosed) {
        this.own = own;
        this.acceptors = acceptors;
        this.onClosed = onClosed;
    }

    /** {@return whether it takes connections from now on} Not if the port is closed. Any thread. */
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

    /** Takes no more connections; the sockets that it has not handled yet go to the other listeners. Any thread. */
    @Override
    public void close() {
        onClosed.accept(this);
        own.forEach(acceptors::leave);
    }
}
