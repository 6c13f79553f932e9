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
 * Channels of {@code java.nio} over RDMA. An unchanged program gets them by two options of its JVM:
 *
 * <pre>
 *   -Djava.nio.channels.spi.SelectorProvider=dev.jwarp.sockets.JwarpSelectorProvider
 *   --add-exports java.base/sun.nio.ch=ALL-UNNAMED
 * </pre>
 *
 * <p>The second option gives jwarp access to the JDK's own channels, which it needs. A program can also make a provider
 * of its own, and open channels with it in addition to those of the JDK.
 * <p>Internet streams use RDMA, with the protocol of librdmacm's rsockets, except those that the property {@code
 * jwarp.sockets.rules} or {@link JwarpSocketOptions#MODE} assigns to TCP. Datagrams use datagram-iWARP if
 * jwarp-transport-udp is on the class path, and plain UDP on the same port for peers that use UDP. Pipes, Unix domain
 * sockets and {@linkplain System#inheritedChannel inherited channels} are those of the JDK. Selectors accept all of
 * them. All streams of a process share one context of jwarp, and all datagrams another one; each context is opened with
 * the first channel.
 *
 * <pre>
 *   -Djwarp.sockets.rules="connect *:443 tcp; listen 10.0.0.0/8:9092 rdma; * *:* rdma-or-tcp"
 * </pre>
 *
 * <p>The first matching rule applies. A rule has the side, the address or prefix with a port or range ({@code *} for
 * any), and the mode. {@code @} and the name of a file read the rules from the file.
 * <p>Threads: any.
 */
public final class JwarpSelectorProvider extends SelectorProvider implements Supplier<SelectorProvider>, AutoCloseable {
    private final Supplier<SocketContext> sockets;
    /** The context of this provider alone; null if it uses the shared one. */
    private final @Nullable SocketContext own;

    private volatile @Nullable SocketRules rules;

    /** A provider whose streams share the context of the process. */
    public JwarpSelectorProvider() {
        this(SocketContext::shared);
    }

    /** Made for channels of that context. */
    JwarpSelectorProvider(Supplier<SocketContext> sockets) {
        this.sockets = sockets;
        own = null;
    }

    /**
     * A provider with a context of its own, which exists until {@link #close}. A selector accepts only streams of its
     * own provider.
     *
     * @param settings of the context, by their keys; {@code jwarp config} lists them
     * @throws dev.jwarp.verbs.RdmaException INVALID_ARGUMENT for an unknown setting or an invalid value
     */
    public JwarpSelectorProvider(Map<String, String> settings) {
        SocketContext context = new SocketContext(settings);
        own = context;
        sockets = () -> context;
    }

    /**
     * Closes all channels and selectors of this provider, and then its own context. Waits up to 10 s for unsent data.
     * Does nothing if the provider uses the shared context of the process.
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

    /**
     * {@return the counters of the context of its streams, followed by counters of the streams: how often the buffer of
     * a write was registered already, and was sent without a copy}
     */
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

    /** {@return the provider of the JDK's own channels} */
    @Override
    public SelectorProvider get() {
        return JdkProvider.get();
    }
}
