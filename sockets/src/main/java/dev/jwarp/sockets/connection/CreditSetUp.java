package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EffectiveSetting;

/**
 * The settings of a credit stream, in addition to those of every stream.
 *
 * @param credits maximum of received messages that are not read yet: {@link CreditEngine#LEAST_CREDITS} to {@link
 *     CreditEngine#MOST_CREDITS}
 * @param directBytes writes and reads of fewer bytes use messages; 0: all use messages, and this end does not offer
 *     zero-copy data
 * @param messages whether each write is a message whose end the reader sees; must be the same at the peer
 * @param mostKept maximum of bytes of the peer's zero-copy data that this end buffers while both ends write zero-copy
 *     data and neither reads; 0: this end buffers none, and the write of the program fails; negative: both ends wait
 */
public record CreditSetUp(int credits, int directBytes, boolean messages, int mostKept) {
    /** The default. */
    public static final CreditSetUp DEFAULT = new CreditSetUp(CreditQueuePair.CREDITS, 0, false, -1);

    /**
     * {@return a copy with other credits}
     *
     * @param most maximum of received messages that are not read yet
     */
    public CreditSetUp withCredits(int most) {
        return new CreditSetUp(most, directBytes, messages, mostKept);
    }

    /**
     * {@return the options that the peer gets} Zero-copy data are offered only if the context has Atomics and RDMA
     * Reads.
     */
    CreditEngine.Options options(Context context) {
        DeviceAttributes device = context.device().attributes();
        boolean direct = directBytes > 0
                && device.atomics() != DeviceAttributes.AtomicCapability.NONE
                && device.maxReadAtomicPerQueuePair() > 0
                && device.maxInitiatorReadAtomic() > 0
                && context.configuration().stream().noneMatch(CreditSetUp::forbids);
        return new CreditEngine.Options(direct, messages, mostKept);
    }

    /** {@return whether a setting of the context turns off Atomics or RDMA Reads} */
    private static boolean forbids(EffectiveSetting one) {
        return switch (one.setting().key()) {
            case "jwarp.rdmap.extensions" -> one.value().equals("off");
            case "jwarp.device.read-depth" -> one.value().equals("0");
            default -> false;
        };
    }
}
