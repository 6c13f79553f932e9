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
 * Asynchronous channels stay the JDK's, on TCP, also where jwarp makes all other channels. A listener of jwarp does not accept them, so the log says once that the program opens some. The JVM makes the
 * provider.
 *
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

    private AsynchronousChannelProvider told() {
        if (said.compareAndSet(false, true)) {
            LOG.warn("The program opens asynchronous channels. These stay on TCP, and a listener of jwarp does not take"
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
        return told().openAsynchronousServerSocketChannel(group);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(@Nullable AsynchronousChannelGroup group)
            throws IOException {
        return told().openAsynchronousSocketChannel(group);
    }
}
