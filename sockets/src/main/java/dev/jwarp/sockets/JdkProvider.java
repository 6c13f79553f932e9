package dev.jwarp.sockets;

import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;

/** The providers of the JDK's own channels. Any thread. */
final class JdkProvider {
    private JdkProvider() {}

    /** {@return the JDK's provider of channels, also if jwarp's provider is the default of the JVM} */
    static SelectorProvider get() {
        SelectorProvider first = SelectorProvider.provider();
        return first.getClass().getName().startsWith(JdkProvider.class.getPackageName() + ".") ? Own.PROVIDER : first;
    }

    /** {@return the JDK's provider of asynchronous channels} */
    static AsynchronousChannelProvider asynchronous() {
        return (AsynchronousChannelProvider) call("DefaultAsynchronousChannelProvider", "create");
    }

    private static final class Own {
        static final SelectorProvider PROVIDER = (SelectorProvider) call("DefaultSelectorProvider", "get");
    }

    private static Object call(String of, String method) {
        try {
            return Class.forName("sun.nio.ch." + of).getMethod(method).invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "jwarp's channels are the default of this JVM, and need the JDK's own channels: start the JVM with"
                            + " --add-exports java.base/sun.nio.ch=ALL-UNNAMED, too",
                    e);
        }
    }
}
