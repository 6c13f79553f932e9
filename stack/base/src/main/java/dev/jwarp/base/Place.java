package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * The position of a member in a {@link Ranking}.
 *
 * @param <T> the member
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
