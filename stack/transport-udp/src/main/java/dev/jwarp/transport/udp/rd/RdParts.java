package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.RdPartExtension;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reassembly of the datagrams of one channel that come in parts (datagram-iWARP §11.2), at most two at a time. The
 * datagram expected next keeps its place until it is complete, so that each repetition adds to it; the other place
 * belongs to the datagram that began last. Received parts are in a slot of the {@link StashPool}, with a bit for each
 * {@link RdPartExtension#UNIT} octets. Owner thread only.
 */
final class RdParts {
    /** A datagram of which parts have come. */
    static final class Whole {
        private final long[] come = new long[DatagramLength.LARGEST / RdPartExtension.UNIT / Long.SIZE + 1];
        private int psn;
        private int total;
        private int missing;
        private @Nullable StashSlot slot;

        /**
         * {@return whether {@code part} belongs to this datagram} A repetition with another pad is another datagram.
         */
        boolean has(ReceivedDatagram part, RdFields said) {
            StashSlot of = slot;
            if (of == null || psn != said.psn || total != said.total) {
                return false;
            }
            Shim a = of.datagram.shim();
            Shim b = part.shim();
            return a.messageId() == b.messageId()
                    && a.messageLength() == b.messageLength()
                    && a.segmentIndex() == b.segmentIndex()
                    && a.segmentSize() == b.segmentSize()
                    && a.destinationQpn() == b.destinationQpn()
                    && a.reply() == b.reply()
                    && a.padded() == b.padded();
        }

        /** Begins a datagram in an empty slot with room for all parts. */
        void begin(StashSlot with, ReceivedDatagram part, RdFields said) {
            slot = with.expect(part.shim(), said.total);
            psn = said.psn;
            total = said.total;
            missing = units(total);
            Arrays.fill(come, 0);
        }

        /** Adds the new octets of a part; received octets are not overwritten. Returns whether there were new ones. */
        boolean add(ReceivedDatagram part, RdFields said) {
            StashSlot into = Objects.requireNonNull(slot, "begin() comes first");
            int before = missing;
            int end = units(said.offset + part.length());
            for (int unit = said.offset / RdPartExtension.UNIT; unit < end; unit++) {
                long bit = 1L << unit;
                if ((come[unit / Long.SIZE] & bit) == 0) {
                    come[unit / Long.SIZE] |= bit;
                    missing--;
                    int at = unit * RdPartExtension.UNIT;
                    into.put(at, part, at - said.offset, Math.min(RdPartExtension.UNIT, total - at));
                }
            }
            return missing < before;
        }

        private static int units(int octets) {
            return (octets + RdPartExtension.UNIT - 1) / RdPartExtension.UNIT;
        }
    }

    private final Whole[] wholes = {new Whole(), new Whole()};

    /** {@return the datagram of this part, or null} */
    @Nullable
    Whole of(ReceivedDatagram part, RdFields said) {
        for (Whole whole : wholes) {
            if (whole.has(part, said)) {
                return whole;
            }
        }
        return null;
    }

    /**
     * {@return an empty place for a datagram with that PSN (DG-11.2-14): that of another datagram with the PSN, or a
     * free one, or that of a datagram that is not the expected one}
     */
    Whole make(int psn, int expected, StashPool pool, @Nullable Share share) {
        Whole place = wholes[0];
        for (Whole whole : wholes) {
            if (whole.slot != null && whole.psn == psn) {
                place = whole;
                break;
            }
            if (whole.slot == null || (place.slot != null && place.psn == expected)) {
                place = whole;
            }
        }
        give(place, pool, share);
        return place;
    }

    /** {@return the slot with the complete datagram, which is removed; null while parts are missing (DG-11.2-13)} */
    @Nullable
    StashSlot take(Whole whole) {
        StashSlot slot = whole.slot;
        if (slot != null && whole.missing == 0) {
            whole.slot = null;
            return slot;
        }
        return null;
    }

    /** The datagram with that PSN was received: discards its parts. */
    void forget(int psn, StashPool pool, @Nullable Share share) {
        for (Whole whole : wholes) {
            if (whole.psn == psn) {
                give(whole, pool, share);
            }
        }
    }

    /** Returns all slots to the pool. */
    void clear(StashPool pool, @Nullable Share share) {
        for (Whole whole : wholes) {
            give(whole, pool, share);
        }
    }

    private static void give(Whole whole, StashPool pool, @Nullable Share share) {
        StashSlot slot = whole.slot;
        if (slot != null) {
            whole.slot = null;
            pool.give(share, slot);
        }
    }
}
