package dev.jwarp.sockets.datagram;

import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers that a socket has received from or sent to, at most {@link #MOST}. A further peer displaces the longest
 * silent peer of the IP address with the most peers; if no address has more than one, the longest silent peer of all.
 * Guarded by its end.
 */
final class Peers {
    static final int MOST = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    private final Map<InetSocketAddress, SocketPeer> all = new LinkedHashMap<>(16, 0.75f, true);
    private final Shares places = new Shares(
            ShareLimits.of("room for peers of a socket of datagrams", "fixed", MOST, 1, 0),
            new SecureRandom().nextLong(),
            LOG::debug);

    private final Function<InetSocketAddress, DatagramMode> modes;

    /** The sender of the last datagram, which is usually also that of the next one. */
    private @Nullable SocketPeer last;

    /** @param modes protocols that the peer at an address may use */
    Peers(Function<InetSocketAddress, DatagramMode> modes) {
        this.modes = modes;
    }

    /** {@return whether the peer at the address may send plain datagrams} If not, it needs no place here. */
    boolean mayBePlain(InetSocketAddress address) {
        return all.containsKey(address) || modes.apply(address) != DatagramMode.IWARP;
    }

    /** {@return the peer at the address} */
    SocketPeer at(InetSocketAddress address) {
        SocketPeer known = all.get(address);
        if (known != null) {
            known.moved();
            return known;
        }
        long now = System.nanoTime();
        SocketPeer added = new SocketPeer(address, modes.apply(address));
        added.join(places, SourceKey.of(address), all::remove, now);
        while (!added.takePlace(now) && forgetOne()) {}
        all.put(address, added);
        return added;
    }

    /** {@return the peer that has sent a datagram} Allocates only if it is another peer than before. */
    SocketPeer of(WorkCompletion received) {
        SocketPeer before = last;
        if (before != null && !before.forgotten() && before.sent(received)) {
            return before;
        }
        SocketPeer found = at(Objects.requireNonNull(received.source()));
        last = found;
        return found;
    }

    int count() {
        return all.size();
    }

    boolean knows(InetSocketAddress address) {
        return all.containsKey(address);
    }

    private boolean forgetOne() {
        for (Iterator<SocketPeer> each = all.values().iterator(); each.hasNext(); ) {
            SocketPeer silent = each.next();
            if (silent.closed()) {
                each.remove();
                silent.leave();
                return true;
            }
        }
        return false;
    }
}
