package dev.jwarp.rnic;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Sets that are gone through in the order in which things came: in a simulation the same seed must give the same run. */
final class Ordered {
    private Ordered() {}

    /** {@return an empty set} Any thread; to go through it use {@link #forEach}. */
    static <T> Set<T> newSet() {
        return Collections.synchronizedSet(new LinkedHashSet<>());
    }

    /** Does it to all that are in {@code set} now; it may change meanwhile. */
    static <T> void forEach(Set<T> set, Consumer<? super T> what) {
        List.copyOf(set).forEach(what);
    }
}
