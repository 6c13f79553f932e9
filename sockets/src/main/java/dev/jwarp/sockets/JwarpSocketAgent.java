package dev.jwarp.sockets;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code -javaagent:jwarp-sockets-VERSION.jar}: the single option by which an unchanged program uses jwarp. Its
 * channels, selectors, {@link java.net.Socket}s, {@link java.net.ServerSocket}s and {@link java.net.DatagramSocket}s
 * are those of jwarp. {@code jwarp.sockets.rules} selects which of them use RDMA. jwarp must be on the class path.
 */
public final class JwarpSocketAgent {
    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    private JwarpSocketAgent() {}

    /**
     * Called by the JVM before the program's main. A provider of channels that the program has set is kept.
     *
     * @param arguments must be empty
     * @param instrumentation of the JVM
     * @throws IOException if this JVM already has another factory of sockets
     * @throws IllegalArgumentException if there are arguments
     */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) throws IOException {
        if (arguments != null && !arguments.isEmpty()) {
            throw new IllegalArgumentException("the agent of jwarp-sockets takes no arguments, not '" + arguments
                    + "': -Djwarp.sockets.rules selects the streams for RDMA");
        }
        if (System.getProperty(PROVIDER) == null) {
            instrumentation.redefineModule(
                    Object.class.getModule(),
                    Set.of(),
                    Map.of("sun.nio.ch", Set.of(JwarpSelectorProvider.class.getModule())),
                    Map.of(),
                    Set.of(),
                    Map.of());
            System.setProperty(PROVIDER, JwarpSelectorProvider.class.getName());
            JdkAsynchronousChannelProvider.install();
        }
        JwarpSockets.takeJavaNet();
    }
}
