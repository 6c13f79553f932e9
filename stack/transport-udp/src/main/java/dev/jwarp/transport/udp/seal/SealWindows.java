package dev.jwarp.transport.udp.seal;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.source.Divided;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The replay windows of the senders with one key (datagram-iWARP §K.7, DG-K.7-7). If there are too many, the host with
 * the most senders loses one to another host; a host never loses one to itself, so a sender whose datagrams can be
 * replayed is not forgotten for the next one. Owner only; allocates for a new sender.
 */
final class SealWindows {
    /** Numbers that are equal modulo this share a place in a window. */
    static final int WINDOW = 1_024;

    /** A window belongs to no more addresses. */
    private static final int MOST_ADDRESSES = 8;

    private final Map<Long, Window> windows = new HashMap<>();
    private final Map<DatagramAddress, Window> receivers;
    /** The latest Time of a sender that gave way while its envelopes could be replayed. */
    private long floor = Long.MIN_VALUE;

    private final long idleSeconds;
    private final Shares places;

    /**
     * Without senders.
     *
     * @param most the most senders
     * @param idleNanos the time after which no datagram of a sender is fresh any more
     * @param watcher told of senders that give way
     * @param receivers the senders with any key that have shown at which addresses they receive
     */
    SealWindows(int most, long idleNanos, long secret, ShareWatcher watcher, Map<DatagramAddress, Window> receivers) {
        this.receivers = receivers;
        idleSeconds = TimeUnit.NANOSECONDS.toSeconds(idleNanos);
        ShareLimits limits = ShareLimits.of("senders with a key", UdpSetting.SOURCES.key(), most, 1, idleNanos);
        // No limit of one host, so that a host that has all places gets those of its idle senders.
        places = new Shares(limits.perSource(most + 1L).idleKeepsNothing(true).whereOwnStay(), secret, watcher);
    }

    /** {@return the window of a sender; null if it is not known} */
    @Nullable
    Window find(long origin) {
        return windows.get(origin);
    }

    /** {@return an empty window for a sender that is not known, at that address; null if there is no room} */
    @Nullable
    Window add(long origin, DatagramAddress source, long nowNanos) {
        Window added = new Window(origin);
        Share place = places.join(Divided.source(source), added, nowNanos);
        added.place = place;
        if (!place.take(1, nowNanos)) {
            place.leave();
            return null;
        }
        windows.put(origin, added);
        return added;
    }

    /** {@return whether no envelope of that time was accepted before from a sender that is no longer known} */
    boolean isAbove(long timeSeconds) {
        return timeSeconds > floor;
    }

    /** The numbers that have come from one sender. */
    final class Window implements ShareHolder {
        private final long origin;
        private final long[] latest = new long[WINDOW];
        private final ArrayDeque<DatagramAddress> addresses = new ArrayDeque<>();
        private @Nullable Share place;
        /** The largest Time of its envelopes. */
        private long latestTime = Long.MIN_VALUE;
        /** When an envelope for this port came last, and whether one came. */
        private long heardNanos;

        private boolean heard;
        /** Its traffic keys of two epochs that follow each other, at even and odd numbers. */
        private final @Nullable TrafficKey[] keys = new TrafficKey[2];

        Window(long origin) {
            this.origin = origin;
        }

        long origin() {
            return origin;
        }

        boolean isOf(SealWindows all) {
            return all == SealWindows.this;
        }

        /** An authentic envelope for this port has come. */
        void hear(long nowNanos) {
            heard = true;
            heardNanos = nowNanos;
        }

        /** {@return whether an envelope for this port came within that time} */
        boolean isHeard(long withinNanos, long nowNanos) {
            return heard && nowNanos - heardNanos < withinNanos;
        }

        /** Notes that this sender receives at an address. */
        void receivesAt(DatagramAddress address) {
            DatagramAddress copy = address.copy();
            if (receivers.put(copy, this) != this) {
                addresses.remove(copy); // another sender was there meanwhile
                addresses.add(copy);
                if (addresses.size() > MOST_ADDRESSES) {
                    receivers.remove(addresses.remove(), this);
                }
            }
        }

        /** {@return the traffic key of an epoch; null if it is to be derived} */
        @Nullable
        TrafficKey key(long epoch) {
            TrafficKey known = keys[(int) epoch & 1];
            return known != null && known.epoch() == epoch ? known : null;
        }

        /** Keeps a traffic key with which an authentic datagram came. */
        void keep(TrafficKey key) {
            keys[(int) key.epoch() & 1] = key;
        }

        /** {@return whether an authentic datagram with that number is new} Then the number has come. */
        boolean take(long sequence, long timeSeconds, long nowNanos) {
            int slot = (int) sequence & (WINDOW - 1);
            if (sequence <= latest[slot]) {
                return false;
            }
            latest[slot] = sequence;
            latestTime = Math.max(latestTime, timeSeconds);
            Share own = place;
            if (own != null && own.movedAt() != nowNanos) { // a clock of seconds: once a second
                own.moved(nowNanos);
            }
            return true;
        }

        @Override
        public void takeBack(long nowNanos) {
            windows.remove(origin);
            if (latestTime > TimeUnit.NANOSECONDS.toSeconds(nowNanos) - idleSeconds) {
                floor = Math.max(floor, latestTime);
            }
            addresses.forEach(address -> receivers.remove(address, this));
            Share own = place;
            if (own != null) {
                own.leave();
            }
        }
    }
}
