package dev.jwarp.llp.nio;

import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/** Opens the channels and selectors of the operating system that jwarp uses. */
public final class SystemChannels {
    private SystemChannels() {}

    /**
     * {@return the provider of the JVM's channels} If jwarp is the default provider of the JVM, it supplies the
     * provider that it wraps.
     */
    public static SelectorProvider provider() {
        SelectorProvider chosen = SelectorProvider.provider();
        return chosen instanceof Supplier<?> above && above.get() instanceof SelectorProvider beneath
                ? beneath
                : chosen;
    }
}
