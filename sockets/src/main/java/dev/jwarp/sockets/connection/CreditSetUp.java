package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EffectiveSetting;

/**
 * What a stream with credits is set up with beside what every stream is.
 *
 * @param credits messages that can be received before they are read: {@link CreditEngine#LEAST_CREDITS} to {@link CreditEngine#MOST_CREDITS}
 * @param copyBytes a write of fewer bytes is copied; 0 or more
 * @param directBytes a write or read of fewer bytes goes in messages; 0: all do, and the peer is not offered anything else
 * @param messages whether a write is a message, whose end the reader sees; the peer has to want the same
 * @param mostKept bytes of the peer's data that are not copied that are kept while both ends write such and neither reads; 0: none, and the program is told; negative: both wait
 */
public record CreditSetUp(int credits, int copyBytes, int directBytes, boolean messages, int mostKept) {
    /** What a program gets that says nothing. */
    public static final CreditSetUp DEFAULT =
            new CreditSetUp(CreditQueuePair.CREDITS, CreditQueuePair.COPY_BYTES, 0, false, -1);

    /**
     * {@return the same with other credits}
     *
     * @param most messages that can be received before they are read
     */
    public CreditSetUp withCredits(int most) {
        return new CreditSetUp(most, copyBytes, directBytes, messages, mostKept);
    }

    /** {@return what a peer is told of it; data that are not copied cannot be offered where there are no Atomics or no RDMA Reads} */
    CreditEngine.Options options(Context context) {
        DeviceAttributes device = context.device().attributes();
        boolean direct = directBytes > 0
                && device.atomics() != DeviceAttributes.AtomicCapability.NONE
                && device.maxReadAtomicPerQueuePair() > 0
                && device.maxInitiatorReadAtomic() > 0
                && context.configuration().stream().noneMatch(CreditSetUp::forbids);
        return new CreditEngine.Options(direct, messages, mostKept);
    }

    /** {@return whether a setting takes from a context what its device could do} */
    private static boolean forbids(EffectiveSetting one) {
        return switch (one.setting().key()) {
            case "jwarp.rdmap.extensions" -> one.value().equals("off");
            case "jwarp.device.read-depth" -> one.value().equals("0");
            default -> false;
        };
    }
}
