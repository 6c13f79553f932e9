package dev.jwarp.sockets;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code -javaagent:jwarp-sockets-VERSION.jar}: the one option that puts a program, as it is, on jwarp. Its channels and selectors, its {@link java.net.Socket}s,
 * {@link java.net.ServerSocket}s and {@link java.net.DatagramSocket}s are jwarp's; which of them are RDMA says {@code jwarp.sockets.rules}. jwarp is on the class path.
 */
public final class JwarpSocketAgent {
    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    private JwarpSocketAgent() {}

    /**
     * The JVM calls it before the program's own main. A provider of channels that the program names stays.
     *
     * @param arguments none are known
     * @param instrumentation of the JVM
     * @throws IOException if the sockets of this JVM are another's already
     * @throws IllegalArgumentException if there are arguments
     */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) throws IOException {
        if (arguments != null && !arguments.isEmpty()) {
            throw new IllegalArgumentException("the agent of jwarp-sockets takes no arguments, and has '" + arguments
                    + "': which streams are RDMA says -Djwarp.sockets.rules");
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
