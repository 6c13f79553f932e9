package dev.jwarp.rnic.memory;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;

/** Memory in states that the verbs alone cannot produce. */
public final class MemoryParts {
    private MemoryParts() {}

    /** Closes a region up to the wait for placements. */
    public static void deregister(MemoryRegion region) {
        ((RnicMemoryRegion) region).deregister();
    }

    /** Closes a window up to the wait for placements. */
    public static void deregister(MemoryWindow window) {
        ((RnicMemoryWindow) window).deregister();
    }

    /** {@return a binding without a window, whose end fails} */
    public static RnicMemoryWindow.Binding ofNoWindow(RnicMemoryRegion region, RnicMemoryWindow.User user) {
        return new RnicMemoryWindow.Binding(null, region, user, region.tagged());
    }
}
