package dev.jwarp.sockets;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Channels of {@code java.nio} over RDMA: {@code -Djava.nio.channels.spi.SelectorProvider=dev.jwarp.sockets.JwarpSelectorProvider} gives them to a program as it
 * is; or make one, and open channels with it beside those of the JDK.
 *
 * <p>Streams of the Internet are RDMA, with librdmacm's rsockets as their protocol. Pipes, datagrams and Unix domain sockets are the JDK's; its selectors take all
 * of them. All streams of a process share one context of jwarp, which is opened with the first.
 *
 * <p>Threads: any.
 */
public final class JwarpSelectorProvider extends SelectorProvider {
    private static final String JDK = "sun.nio.ch.DefaultSelectorProvider";

    private final Supplier<SocketContext> sockets;

    /** A provider; they are all alike. */
    public JwarpSelectorProvider() {
        this(SocketContext::shared);
    }

    /** Of channels of that context. */
    JwarpSelectorProvider(Supplier<SocketContext> sockets) {
        this.sockets = sockets;
    }

    @Override
    public SocketChannel openSocketChannel() {
        return new RdmaSocketChannel(this, sockets.get());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return internet(family) ? openSocketChannel() : plain().openSocketChannel(family);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        return new RdmaServerSocketChannel(this, sockets.get());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return internet(family) ? openServerSocketChannel() : plain().openServerSocketChannel(family);
    }

    private static boolean internet(ProtocolFamily family) {
        Objects.requireNonNull(family, "family");
        return family == StandardProtocolFamily.INET || family == StandardProtocolFamily.INET6;
    }

    @Override
    public AbstractSelector openSelector() {
        return new RdmaSelector(this, sockets.get(), new PlainSelection(this));
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return plain().openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return plain().openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return plain().openPipe();
    }

    /** {@return a selector for channels that are not of RDMA} */
    Selector openPlainSelector() throws IOException {
        return plain().openSelector();
    }

    /** {@return the JDK's own provider} */
    private static SelectorProvider plain() throws IOException {
        SelectorProvider first = SelectorProvider.provider();
        if (!(first instanceof JwarpSelectorProvider)) {
            return first;
        }
        try {
            return (SelectorProvider) Class.forName(JDK).getMethod("get").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IOException(
                    "the JDK's own channels (datagrams, pipes, Unix domain sockets) cannot be had while jwarp's are the JVM's default:"
                            + " start it with --add-exports java.base/sun.nio.ch=ALL-UNNAMED",
                    e);
        }
    }
}
