package dev.jwarp.sockets;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider of asynchronous channels, which remain those of the JDK, on TCP, even if jwarp makes all other channels.
 * A listener of jwarp does not accept them, so the provider logs a warning once when the program opens one. The JVM
 * creates the provider.
 * <p>Threads: any.
 */
public final class JdkAsynchronousChannelProvider extends AsynchronousChannelProvider {
    private static final String PROVIDER = "java.nio.channels.spi.AsynchronousChannelProvider";
    private static final Logger LOG = LoggerFactory.getLogger(JdkAsynchronousChannelProvider.class);

    private final AsynchronousChannelProvider jdk;
    private final AtomicBoolean said = new AtomicBoolean();

    /** Finds the provider of the JDK. */
    public JdkAsynchronousChannelProvider() {
        jdk = JdkProvider.asynchronous();
    }

    /** Makes this class the provider of the JVM, if no other one is set. It has no effect once the program has opened an asynchronous channel. */
    static void install() {
        if (System.getProperty(PROVIDER) == null) {
            System.setProperty(PROVIDER, JdkAsynchronousChannelProvider.class.getName());
        }
    }

    private AsynchronousChannelProvider warned() {
        if (said.compareAndSet(false, true)) {
            LOG.warn("The program opens asynchronous channels. They use TCP, and a listener of jwarp does not accept"
                    + " them: use SocketChannel, or Socket, or a rule \"listen *:port tcp\" at the listener.");
        }
        return jdk;
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(int threads, ThreadFactory factory)
            throws IOException {
        return jdk.openAsynchronousChannelGroup(threads, factory);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(ExecutorService executor, int threads)
            throws IOException {
        return jdk.openAsynchronousChannelGroup(executor, threads);
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(@Nullable AsynchronousChannelGroup group)
            throws IOException {
        return warned().openAsynchronousServerSocketChannel(group);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(@Nullable AsynchronousChannelGroup group)
            throws IOException {
        return warned().openAsynchronousSocketChannel(group);
    }
}
