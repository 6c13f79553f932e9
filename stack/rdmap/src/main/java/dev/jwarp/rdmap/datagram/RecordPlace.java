package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;

/** A place of a record among others, the oldest first: those of its pool, or those of its source. */
final class RecordPlace extends LinkedPlaces.Link<RecordPlace> {
    final MessageRecord of;

    RecordPlace(MessageRecord of) {
        this.of = of;
    }
}
