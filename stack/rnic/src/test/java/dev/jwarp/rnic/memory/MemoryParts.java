package dev.jwarp.rnic.memory;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;

/** Memory in states that the verbs alone do not bring about. */
public final class MemoryParts {
    private MemoryParts() {}

    /** Closes a region as far as a thread that is still waiting does. */
    public static void deregister(MemoryRegion region) {
        ((RnicMemoryRegion) region).deregister();
    }

    /** Closes a window as far as a thread that is still waiting does. */
    public static void deregister(MemoryWindow window) {
        ((RnicMemoryWindow) window).deregister();
    }

    /** {@return a binding of no window: what ends bindings fails} */
    public static RnicMemoryWindow.Binding ofNoWindow(RnicMemoryRegion region, RnicMemoryWindow.User user) {
        return new RnicMemoryWindow.Binding(null, region, user, region.tagged());
    }
}
