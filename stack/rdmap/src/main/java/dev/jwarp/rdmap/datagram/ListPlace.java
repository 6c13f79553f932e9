package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;

/**
 * The place of an object in one of the lists that it stands in, the oldest first.
 *
 * @param <T> the object
 */
final class ListPlace<T> extends LinkedPlaces.Link<ListPlace<T>> {
    final T of;

    ListPlace(T of) {
        this.of = of;
    }
}
