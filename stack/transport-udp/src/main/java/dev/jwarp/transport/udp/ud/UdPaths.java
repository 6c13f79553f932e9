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
 * The paths of a port on which UD is limited, and how much came from peers that ask, as many of each as
 * {@link UdpSetting#SOURCES} says; the one used longest ago makes room (datagram-iWARP §6, §13). A port that sends to
 * controlled networks only has none. A peer's {@link DatagramPeer#control} names its path. Owner thread only; allocates
 * one for each new peer.
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
    /** Whose DATA came last, if it is counted; else -1. */
    private int counting = -1;

    public UdPaths(UdpSettings settings, long secret) {
        controlled = settings.controlled();
        pace = settings.number(UdpSetting.PACE);
        unheardPace = settings.number(UdpSetting.UNHEARD_PACE);
        most = (int) settings.number(UdpSetting.SOURCES);
        this.secret = secret;
    }

    /** {@return the path to a peer, which it names from then on} Whoever goes to the same address and port has the same one (DG-6-27). */
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

    /** {@return the path to that address and port, if it is in the table} */
    @Nullable
    UdPath find(DatagramAddress address) {
        SourceTable known = addresses;
        int slot = known == null ? -1 : known.find(address);
        return slot < 0 ? null : paths[slot];
    }

    /** Something of that source came that was for us. */
    void heard(DatagramAddress source, long nowNanos) {
        UdPath path = find(source);
        if (path != null) {
            path.heard(nowNanos);
        }
    }

    // ---- what comes from those who ask what came

    /** {@return how much DATA has come from a source since it asked first, and 1; modulo 2^32, but never 0} Its PATH-PROBE came (DG-6-12). */
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

    /** DATA of a source came. */
    void came(DatagramAddress source) {
        counting = askers == null ? -1 : askers.find(source);
        cameNext();
    }

    /** One more came, of the same source. */
    void cameNext() {
        if (counting >= 0 && ++received[counting] == 0) {
            received[counting] = 1;
        }
    }
}
