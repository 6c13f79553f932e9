package dev.jwarp.sockets;

import dev.jwarp.verbs.Counter;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Channels of {@code java.nio} over RDMA. A program as it is gets them by two options of its JVM:
 *
 * <pre>
 *   -Djava.nio.channels.spi.SelectorProvider=dev.jwarp.sockets.JwarpSelectorProvider
 *   --add-exports java.base/sun.nio.ch=ALL-UNNAMED
 * </pre>
 *
 * <p>The second one is for the JDK's own channels, on which jwarp stands, and which the JDK has no other way to open then. Or make a provider, and open channels
 * with it beside those of the JDK.
 *
 * <p>Streams of the Internet are RDMA, with librdmacm's rsockets as their protocol, but for those that the property {@code jwarp.sockets.rules}, or {@link
 * JwarpSocketOptions#MODE}, leaves to TCP. Datagrams are datagram-iWARP where jwarp-transport-udp is on the class path, and plain UDP at the same port with peers that speak that.
 * Pipes, Unix domain sockets and {@linkplain System#inheritedChannel inherited channels} are the JDK's; selectors take all of them. All streams of a process share one context of jwarp, and all datagrams another one; each is opened with the
 * first.
 *
 * <pre>
 *   -Djwarp.sockets.rules="connect *:443 tcp; listen 10.0.0.0/8:9092 rdma; * *:* rdma-or-tcp"
 * </pre>
 *
 * <p>The first rule counts that fits; a rule says who, where (address or prefix, port or range; {@code *} for any) and how; {@code @} and the name of a file
 * reads them from there.
 *
 * <p>Threads: any.
 */
public final class JwarpSelectorProvider extends SelectorProvider implements Supplier<SelectorProvider>, AutoCloseable {
    private final Supplier<SocketContext> sockets;
    /** Of this provider alone. */
    private final @Nullable SocketContext own;

    private volatile @Nullable SocketRules rules;

    /** A provider whose streams share the context of the process. */
    public JwarpSelectorProvider() {
        this(SocketContext::shared);
    }

    /** Of channels of that context. */
    JwarpSelectorProvider(Supplier<SocketContext> sockets) {
        this.sockets = sockets;
        own = null;
    }

    /**
     * A provider with a context of its own, which lasts until {@link #close}. A selector takes streams of its own provider only.
     *
     * @param settings of the context, by their keys; {@code jwarp config} lists them
     * @throws dev.jwarp.verbs.RdmaException INVALID_ARGUMENT if there is no such setting, or it cannot have that value
     */
    public JwarpSelectorProvider(Map<String, String> settings) {
        SocketContext context = new SocketContext(settings);
        own = context;
        sockets = () -> context;
    }

    /**
     * Closes all channels and selectors of this provider, and then the context that it was made with: what the channels have not sent yet is waited for, up to 10 s.
     * Of one that shares the context of the process it ends nothing.
     */
    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }

    @Override
    public SocketChannel openSocketChannel() {
        return openStream(null);
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return internet(family) ? openStream(family) : get().openSocketChannel(family);
    }

    private SocketChannel openStream(@Nullable ProtocolFamily family) {
        SocketContext context = sockets.get();
        return context.using(new RoutedSocketChannel(this, get(), context, rules(), family));
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        return openListener(null);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return internet(family) ? openListener(family) : get().openServerSocketChannel(family);
    }

    private ServerSocketChannel openListener(@Nullable ProtocolFamily family) {
        SocketContext context = sockets.get();
        return context.using(new RoutedServerSocketChannel(this, get(), context, rules(), family));
    }

    private static boolean internet(ProtocolFamily family) {
        Objects.requireNonNull(family, "family");
        return family == StandardProtocolFamily.INET || family == StandardProtocolFamily.INET6;
    }

    @Override
    public AbstractSelector openSelector() {
        SocketContext context = sockets.get();
        return context.using(new RdmaSelector(this, context, new PlainSelection(get())));
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return openDatagrams(null);
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return internet(family) ? openDatagrams(family) : get().openDatagramChannel(family);
    }

    private DatagramChannel openDatagrams(@Nullable ProtocolFamily family) throws IOException {
        SocketContext context = sockets.get();
        if (context.datagrams() == null) {
            return family == null ? get().openDatagramChannel() : get().openDatagramChannel(family);
        }
        return context.using(new RoutedDatagramChannel(this, get(), context, family, rules()));
    }

    @Override
    public @Nullable Channel inheritedChannel() throws IOException {
        return get().inheritedChannel();
    }

    @Override
    public Pipe openPipe() throws IOException {
        return get().openPipe();
    }

    /** {@return the counters of the context of its streams, and behind them what streams count themselves: how often a buffer of a write was known, and could be sent from where it is} */
    public List<Counter> counters() {
        return sockets.get().counters();
    }

    private SocketRules rules() {
        SocketRules read = rules;
        if (read == null) {
            read = SocketRules.ofProcess();
            rules = read;
        }
        return read;
    }

    /** {@return the provider of the JDK's own channels} jwarp stands on them itself. */
    @Override
    public SelectorProvider get() {
        return JdkProvider.get();
    }
}
