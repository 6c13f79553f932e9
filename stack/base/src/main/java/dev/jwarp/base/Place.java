package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * The place of one in a {@link Ranking}.
 *
 * @param <T> what is ranked
 */
final class Place<T> {
    final T of;
    int rank = Ranking.NONE;

    @Nullable
    Place<T> older;

    @Nullable
    Place<T> newer;

    Place(T of) {
        this.of = of;
    }
}
