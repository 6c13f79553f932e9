package dev.jwarp.transport.udp.seal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one port has of a key: the senders that use the key, and how much was sent with it. Owner only. */
final class PortKey {
    private static final Logger LOG = LoggerFactory.getLogger(PortKey.class);

    private final SealKeys.SealKey key;
    private final SealWindows windows;
    private final long since;
    private @Nullable TrafficKey sending;
    private long bytes;
    private boolean ended;

    /** @param since the second from which on this port accepts envelopes of unknown senders with the key */
    PortKey(SealKeys.SealKey key, SealWindows windows, long since) {
        this.key = key;
        this.windows = windows;
        this.since = since;
    }

    /** {@return the same for a key that differs in use, peers or lifetimes only} */
    PortKey with(SealKeys.SealKey other) {
        PortKey changed = new PortKey(other, windows, since);
        changed.sending = sending;
        changed.bytes = bytes;
        return changed;
    }

    SealKeys.SealKey key() {
        return key;
    }

    SealWindows windows() {
        return windows;
    }

    long since() {
        return since;
    }

    /** {@return whether datagrams with the key are accepted} */
    boolean isValid(long nowSeconds) {
        return nowSeconds < key.untilSeconds() || isEnded("its time");
    }

    /** {@return whether the key can protect a further datagram} */
    boolean canSend(long nowSeconds) {
        return isValid(nowSeconds) && (bytes < key.bytes() || isEnded("the number of its bytes"));
    }

    /** {@return false} Logs the end of a key once. */
    private boolean isEnded(String limit) {
        if (!ended) {
            ended = true;
            LOG.warn("{} of jwarp.udp.keys has reached {}: give both ends another key", key, limit);
        }
        return false;
    }

    /** Counts a datagram, and returns the traffic key for it. */
    TrafficKey sending(EnvelopeCipher cipher, long origin, long sequence, int length) {
        bytes += length;
        long epoch = TrafficKey.epoch(sequence);
        TrafficKey present = sending;
        if (present == null || present.epoch() != epoch) {
            present = cipher.derive(key, origin, epoch);
            sending = present;
        }
        return present;
    }
}
