package dev.jwarp.sockets.datagram;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who a socket has heard of or sent to: as many as {@link #MOST}; the one that was silent longest is forgotten. Guarded by its end. */
final class Peers {
    static final int MOST = 1024;

    private final Map<InetSocketAddress, SocketPeer> all = new LinkedHashMap<>(16, 0.75f, true);

    private final Function<InetSocketAddress, DatagramMode> modes;

    /** Of the last datagram that came: mostly the next one is of the same. */
    private @Nullable SocketPeer last;

    /** @param modes what one at an address may speak */
    Peers(Function<InetSocketAddress, DatagramMode> modes) {
        this.modes = modes;
    }

    /** {@return the one at that address} */
    SocketPeer at(InetSocketAddress address) {
        SocketPeer known = all.get(address);
        if (known == null) {
            known = new SocketPeer(address, modes.apply(address));
            if (all.size() >= MOST) {
                forgetOne();
            }
            all.put(address, known);
        }
        return known;
    }

    /** {@return who sent that} Allocates only where it is another one than before. */
    SocketPeer of(WorkCompletion received) {
        SocketPeer before = last;
        if (before != null && before.sent(received)) {
            return before;
        }
        SocketPeer found = at(Objects.requireNonNull(received.source()));
        last = found;
        return found;
    }

    private void forgetOne() {
        for (Iterator<SocketPeer> each = all.values().iterator(); each.hasNext(); ) {
            if (closed(each.next().handle)) {
                each.remove();
                return;
            }
        }
    }

    private static boolean closed(@Nullable AddressHandle handle) {
        try {
            if (handle != null) {
                handle.close();
            }
            return true;
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.RESOURCE_BUSY) {
                throw e;
            }
            return false; // something is on its way there
        }
    }
}
