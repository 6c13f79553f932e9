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
 * Datagrams of one channel that come in parts (datagram-iWARP §11.2): two at a time and no more. The one expected next keeps its
 * place until it is whole, so that each repetition adds to it; the other place belongs to whichever began last. What has come of
 * one stands in a slot of the {@link StashPool}, with a bit for each {@link RdPartExtension#UNIT} octets. Owner thread only.
 */
final class RdParts {
    /** A datagram of which parts have come. */
    static final class Whole {
        private final long[] come = new long[DatagramLength.LARGEST / RdPartExtension.UNIT / Long.SIZE + 1];
        private int psn;
        private int total;
        private int missing;
        private @Nullable StashSlot slot;

        /** {@return whether that is a part of it} A repetition may have another pad, and is another datagram then. */
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

        /** Begins with a slot that has room for all of it, and nothing in it. */
        void begin(StashSlot with, ReceivedDatagram part, RdFields said) {
            slot = with.expect(part.shim(), said.total);
            psn = said.psn;
            total = said.total;
            missing = units(total);
            Arrays.fill(come, 0);
        }

        /** Takes what of the part has not come before; answers whether anything had not. What has come is not written over. */
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

    /** {@return the one that this is a part of, or null} */
    @Nullable
    Whole of(ReceivedDatagram part, RdFields said) {
        for (Whole whole : wholes) {
            if (whole.has(part, said)) {
                return whole;
            }
        }
        return null;
    }

    /** {@return a place for a datagram with that PSN, empty (DG-11.2-14): that of another one with the PSN, or a free one, or not that of the expected one} */
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

    /** {@return the slot with the whole datagram, which is taken out; null as long as parts are missing (DG-11.2-13)} */
    @Nullable
    StashSlot take(Whole whole) {
        StashSlot slot = whole.slot;
        if (slot != null && whole.missing == 0) {
            whole.slot = null;
            return slot;
        }
        return null;
    }

    /** The datagram with that PSN has come. */
    void forget(int psn, StashPool pool, @Nullable Share share) {
        for (Whole whole : wholes) {
            if (whole.psn == psn) {
                give(whole, pool, share);
            }
        }
    }

    /** Gives everything back. */
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
