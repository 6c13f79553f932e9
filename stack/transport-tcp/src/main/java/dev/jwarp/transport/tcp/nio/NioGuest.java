package dev.jwarp.transport.tcp.nio;

import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** Listens with the listener of another transport, without a socket of its own. */
final class NioGuest implements NioAcceptors.Member {
    private final TcpLoop loop;
    private final NioAcceptor acceptor;
    private final NioAcceptors acceptors;
    private final Consumer<NioGuest> onClosed;

    /** Owner only. */
    private boolean registered;

    NioGuest(TcpLoop loop, NioAcceptor acceptor, NioAcceptors acceptors, Consumer<NioGuest> onClosed) {
        this.loop = loop;
        this.acceptor = acceptor;
        this.acceptors = acceptors;
        this.onClosed = onClosed;
    }

    /** {@return whether it takes connections from now on} Not if the port is closed. Any thread. */
    boolean begin() {
        loop.note(() -> register(true)); // a wait that a socket cannot end is none for this loop from now on
        return acceptors.join(acceptor);
    }

    private void register(boolean listens) {
        if (registered != listens) {
            registered = listens;
            loop.listening(listens ? 1 : -1);
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return acceptor.localAddress();
    }

    @Override
    public NioAcceptors acceptors() {
        return acceptors;
    }

    @Override
    public NioAcceptor acceptor() {
        return acceptor;
    }

    /** Takes no more connections; what it was given and has not come to goes to the others. Any thread. */
    @Override
    public void close() {
        onClosed.accept(this);
        acceptors.leave(acceptor);
        loop.note(() -> register(false));
    }
}
