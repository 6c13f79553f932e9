package dev.jwarp.sockets;

import java.nio.channels.spi.SelectorProvider;

/** The provider of the JDK's own channels. Any thread. */
final class JdkProvider {
    private JdkProvider() {}

    /** {@return it, also where jwarp's is the JVM's default} */
    static SelectorProvider get() {
        SelectorProvider first = SelectorProvider.provider();
        return first.getClass().getName().startsWith(JdkProvider.class.getPackageName() + ".") ? Own.PROVIDER : first;
    }

    private static final class Own {
        static final SelectorProvider PROVIDER = find();

        private static SelectorProvider find() {
            try {
                return (SelectorProvider) Class.forName("sun.nio.ch.DefaultSelectorProvider")
                        .getMethod("get")
                        .invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        "jwarp's channels are the JVM's default, and stand on the JDK's own, which it gives only if it is started with"
                                + " --add-exports java.base/sun.nio.ch=ALL-UNNAMED as well",
                        e);
            }
        }
    }
}
