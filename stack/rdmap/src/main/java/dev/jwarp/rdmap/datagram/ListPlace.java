package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;

/**
 * The link of an object in one of its lists, which are ordered from the oldest object.
 *
 * @param <T> the object
 */
final class ListPlace<T> extends LinkedPlaces.Link<ListPlace<T>> {
    final T of;

    ListPlace(T of) {
        this.of = of;
    }
}
