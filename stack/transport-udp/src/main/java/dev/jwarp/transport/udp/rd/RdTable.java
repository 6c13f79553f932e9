package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.SplitMix;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a queue pair, found by our tag and by the peer's address and queue pair number: two open-addressed tables
 * that are at most half full. The one by address is keyed with a secret, so that a peer cannot choose addresses that collide
 * (datagram-iWARP §17); the tags are our own random numbers. Owner thread only.
 */
final class RdTable {
    private final long secret;
    private @Nullable RdChannel[] byTag = new RdChannel[16];
    private @Nullable RdChannel[] byAddress = new RdChannel[16];
    private int size;

    RdTable(long secret) {
        this.secret = secret;
    }

    int size() {
        return size;
    }

    /** {@return the channel with that tag of ours, or null} */
    @Nullable
    RdChannel byTag(int tag) {
        int mask = byTag.length - 1;
        for (int at = tag & mask; ; at = (at + 1) & mask) {
            RdChannel channel = byTag[at];
            if (channel == null || channel.tag == tag) {
                return channel;
            }
        }
    }

    /** {@return the channel with that queue pair of the peer, or null} */
    @Nullable
    RdChannel byAddress(DatagramAddress address, int queuePairNumber) {
        int mask = byAddress.length - 1;
        for (int at = hash(address, queuePairNumber) & mask; ; at = (at + 1) & mask) {
            RdChannel channel = byAddress[at];
            if (channel == null || channel.isWith(address, queuePairNumber)) {
                return channel;
            }
        }
    }

    /** Adds a channel whose tag and address no other one in the table has. */
    void add(RdChannel channel) {
        if (2 * (size + 1) > byTag.length) {
            grow();
        }
        size++;
        put(byTag, channel, channel.tag);
        put(byAddress, channel, hash(channel));
    }

    void remove(RdChannel channel) {
        size--;
        cut(byTag, channel, true);
        cut(byAddress, channel, false);
    }

    /** Gives a channel a new tag, which no other one has. */
    void retag(RdChannel channel, int tag) {
        cut(byTag, channel, true);
        channel.tag = tag;
        put(byTag, channel, tag);
    }

    /** {@return all channels} Allocates. */
    RdChannel[] all() {
        RdChannel[] all = new RdChannel[size];
        int count = 0;
        for (RdChannel channel : byTag) {
            if (channel != null) {
                all[count++] = channel;
            }
        }
        return all;
    }

    private void grow() {
        RdChannel[] channels = all();
        byTag = new RdChannel[byTag.length * 2];
        byAddress = new RdChannel[byTag.length];
        for (RdChannel channel : channels) {
            put(byTag, channel, channel.tag);
            put(byAddress, channel, hash(channel));
        }
    }

    private static void put(@Nullable RdChannel[] table, RdChannel channel, int hash) {
        int mask = table.length - 1;
        int at = hash & mask;
        while (table[at] != null) {
            at = (at + 1) & mask;
        }
        table[at] = channel;
    }

    private void cut(@Nullable RdChannel[] table, RdChannel channel, boolean tags) {
        int mask = table.length - 1;
        int hole = (tags ? channel.tag : hash(channel)) & mask;
        while (table[hole] != channel) {
            hole = (hole + 1) & mask;
        }
        // Linear probing: following entries move up, but not before their own place.
        for (int at = (hole + 1) & mask; ; at = (at + 1) & mask) {
            RdChannel follower = table[at];
            if (follower == null) {
                table[hole] = null;
                return;
            }
            int home = (tags ? follower.tag : hash(follower)) & mask;
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                table[hole] = follower;
                hole = at;
            }
        }
    }

    private int hash(RdChannel channel) {
        DatagramPeer peer = channel.peer();
        return hash(peer.address(), peer.queuePairNumber());
    }

    private int hash(DatagramAddress address, int queuePairNumber) {
        long rest = ((long) address.port() << 24 | queuePairNumber) << 16 ^ address.scope();
        return (int) (SplitMix.hash(secret, address.high(), address.low(), rest) >>> 32);
    }
}
