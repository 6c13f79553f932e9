package dev.jwarp.rnic.core;

import dev.jwarp.base.Faults;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sets that are gone through in the order in which things came: in a simulation the same seed must give the same run. */
public final class Ordered {
    private Ordered() {}

    /** {@return an empty set} Any thread; to go through it use {@link #forEach}. */
    public static <T> Set<T> newSet() {
        return new OrderedSet<>();
    }

    /** Does it to all that are in {@code set} now, also where it throws for some; it may change meanwhile. */
    public static <T> void forEach(Set<T> set, Consumer<? super T> what) {
        @Nullable Throwable thrown = null;
        for (T one : List.copyOf(set)) {
            try {
                what.accept(one);
            } catch (RuntimeException | Error e) {
                if (thrown == null) {
                    thrown = e;
                } else {
                    Faults.suppress(thrown, e);
                }
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
