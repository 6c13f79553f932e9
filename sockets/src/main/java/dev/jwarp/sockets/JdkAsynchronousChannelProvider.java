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
 * Asynchronous channels where jwarp makes the other ones: they are the JDK's, on TCP. The log says so once, as no listener of jwarp's takes them. The JVM makes it.
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

    /** The JVM's, from now on, if it has no other one, and none of its channels yet. */
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
