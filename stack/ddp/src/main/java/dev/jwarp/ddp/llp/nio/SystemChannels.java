package dev.jwarp.ddp.llp.nio;

import java.nio.channels.spi.SelectorProvider;
import java.util.function.Supplier;

/** Where channels and selectors of the operating system are opened, on which jwarp stands. */
public final class SystemChannels {
    private SystemChannels() {}

    /**
     * {@return the provider of the JVM's channels} Also where the JVM's default ones stand on jwarp: the provider of those supplies the one
     * beneath it.
     */
    public static SelectorProvider provider() {
        SelectorProvider chosen = SelectorProvider.provider();
        return chosen instanceof Supplier<?> above && above.get() instanceof SelectorProvider beneath
                ? beneath
                : chosen;
    }
}
