package dev.jwarp.transport.udp.ud;

import dev.jwarp.base.Networks;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.source.SourceTable;
import org.jspecify.annotations.Nullable;

/**
 * The limited paths of UD of a port, and the counts of datagrams received from peers that send PATH-PROBEs: two tables
 * of {@link UdpSetting#SOURCES} entries, from which the least recently used one is evicted (datagram-iWARP §6, §13). A
 * port that sends only to controlled networks has no tables. A peer's {@link DatagramPeer#control} refers to its path.
 * Owner thread only; allocates a path for each new peer.
 */
public final class UdPaths {
    private final Networks controlled;
    private final long pace;
    private final long unheardPace;
    private final int most;
    private final long secret;
    private @Nullable SourceTable addresses;
    private @Nullable UdPath[] paths = new UdPath[0];
    private @Nullable SourceTable askers;
    private int[] received = new int[0];
    /** The slot of the source of the last DATA, if it is counted; else -1. */
    private int counting = -1;

    public UdPaths(UdpSettings settings, long secret) {
        controlled = settings.controlled();
        pace = settings.number(UdpSetting.PACE);
        unheardPace = settings.number(UdpSetting.UNHEARD_PACE);
        most = (int) settings.number(UdpSetting.SOURCES);
        this.secret = secret;
    }

    /**
     * {@return the path to a peer, to which the peer refers from then on} Peers with the same address and port share a
     * path (DG-6-1).
     */
    UdPath of(DatagramPeer peer) {
        return peer.control() instanceof UdPath known && !known.forgotten() ? known : found(peer);
    }

    private UdPath found(DatagramPeer peer) {
        DatagramAddress to = peer.address();
        UdPath path;
        if (peer.pace() > 0) {
            path = new UdPath(peer.pace(), UdPath.Limit.SET);
        } else if (pace > 0) {
            path = inTable(to, pace, UdPath.Limit.SET);
        } else {
            boolean group = peer.queuePairNumber() == Shim.GROUP_QPN;
            path = unheardPace == 0 || (!group && controlled.contain(to.high(), to.low()))
                    ? UdPath.UNLIMITED
                    : inTable(to, unheardPace, group ? UdPath.Limit.GROUP : UdPath.Limit.UNHEARD);
        }
        peer.control(path);
        return path;
    }

    private UdPath inTable(DatagramAddress to, long rate, UdPath.Limit limit) {
        SourceTable known = addresses;
        if (known == null) {
            known = SourceTable.divided(most, secret);
            addresses = known;
            paths = new UdPath[most];
        }
        int slot = known.put(to);
        UdPath path = paths[slot];
        if (path == null || known.fresh()) {
            if (path != null) {
                path.forget();
            }
            path = new UdPath(rate, limit);
            paths[slot] = path;
        }
        return path;
    }

    /** {@return the path to that address and port; null if it is not in the table} */
    @Nullable
    UdPath find(DatagramAddress address) {
        SourceTable known = addresses;
        int slot = known == null ? -1 : known.find(address);
        return slot < 0 ? null : paths[slot];
    }

    /** A valid datagram of that source was received. */
    void heard(DatagramAddress source, long nowNanos) {
        UdPath path = find(source);
        if (path != null) {
            path.heard(nowNanos);
        }
    }

    // ---- counts of received DATA

    /**
     * {@return the number of DATA datagrams from a source since its first PATH-PROBE, plus 1; modulo 2^32, but never 0}
     * A PATH-PROBE of the source came (DG-6-12).
     */
    int asked(DatagramAddress source) {
        SourceTable known = askers;
        if (known == null) {
            known = SourceTable.divided(most, secret);
            askers = known;
            received = new int[most];
        }
        int slot = known.put(source);
        if (known.fresh()) {
            received[slot] = 1;
        }
        return received[slot];
    }

    /** A datagram of DATA of a source was received. */
    void came(DatagramAddress source) {
        counting = askers == null ? -1 : askers.find(source);
        cameNext();
    }

    /** A further one of the same source was received. */
    void cameNext() {
        if (counting >= 0 && ++received[counting] == 0) {
            received[counting] = 1;
        }
    }
}
