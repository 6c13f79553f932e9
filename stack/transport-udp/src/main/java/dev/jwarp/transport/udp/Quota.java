package dev.jwarp.transport.udp;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * So many answers a second, divided among the addresses that ask; the ports of an address are one. It knows the {@value #ADDRESSES}
 * addresses that asked last. Owner thread only; allocates when an address is new.
 */
final class Quota {
    private static final int ADDRESSES = 512;

    private final Shares shares;
    private final SourceTable known;
    private final @Nullable Share[] of;
    private final DatagramAddress host = new DatagramAddress();
    private @Nullable Share strangers;

    Quota(ShareLimits limits, RandomGenerator random, Divided told) {
        shares = new Shares(limits, random.nextLong(), told);
        known = new SourceTable(ADDRESSES, random.nextLong());
        of = new Share[ADDRESSES];
    }

    /** {@return whether that address gets one more answer} */
    boolean admits(DatagramAddress source, long nowNanos) {
        long key = Divided.source(source);
        int slot = known.put(host.set(key, 0, 0, 0));
        Share share = of[slot];
        if (known.fresh() && share != null) {
            share.leave();
            share = null;
        }
        if (share == null) {
            share = join(key, nowNanos);
            of[slot] = share;
        }
        return share.take(1, nowNanos);
    }

    /** {@return whether all those together get one more answer of whom nobody knows who they are} */
    boolean admitsStranger(long nowNanos) {
        Share share = strangers;
        if (share == null) {
            share = join(SourceKey.STRANGERS, nowNanos);
            strangers = share;
        }
        return share.take(1, nowNanos);
    }

    /** Of what comes back by itself nothing is taken back. */
    private Share join(long key, long nowNanos) {
        return shares.join(key, now -> {}, nowNanos);
    }
}
