package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;

/**
 * The place of an object in one of the lists that it stands in, the oldest first.
 *
 * @param <T> the object
 */
final class Place<T> extends LinkedPlaces.Link<Place<T>> {
    final T of;

    Place(T of) {
        this.of = of;
    }
}
