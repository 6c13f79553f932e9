package dev.jwarp.base;

/**
 * The limits of a resource that several holders share.
 *
 * @param resource name of the resource for messages: "memory for half FPDUs"
 * @param setting setting to raise, for messages
 * @param capacity units in total
 * @param guaranteed units that each holder can have whatever others hold, while holders times this value are within the
 *     capacity
 * @param perSource maximum of units of all holders of one source
 * @param idleNanos a holder without progress for this time is idle, and returns units first
 * @param idleKeepsNothing whether an idle holder returns its guaranteed units too
 * @param ownStay whether no units are taken back for another holder of the same source; the new one is refused instead
 */
public record ShareLimits(
        String resource,
        String setting,
        long capacity,
        long guaranteed,
        long perSource,
        long idleNanos,
        boolean idleKeepsNothing,
        boolean ownStay) {

    /** Checks the values. */
    public ShareLimits {
        if (capacity < 0 || guaranteed < 0 || idleNanos < 0) {
            throw new IllegalArgumentException("limits of " + resource + " that cannot be kept: capacity " + capacity
                    + ", guaranteed " + guaranteed + ", idle after " + idleNanos + " ns");
        }
    }

    /** {@return limits without a limit per source} */
    public static ShareLimits of(String resource, String setting, long capacity, long guaranteed, long idleNanos) {
        return new ShareLimits(resource, setting, capacity, guaranteed, capacity, idleNanos, false, false);
    }

    /**
     * {@return three quarters of the capacity: the default limit per source, so that other sources find free units at
     * once}
     */
    public static long mostOfOneSource(long capacity) {
        return capacity - capacity / 4;
    }

    /** {@return a copy with a limit per source} */
    public ShareLimits perSource(long most) {
        return new ShareLimits(resource, setting, capacity, guaranteed, most, idleNanos, idleKeepsNothing, ownStay);
    }

    /** {@return a copy that guarantees nothing to idle holders} */
    public ShareLimits idleKeepsNothing(boolean nothing) {
        return new ShareLimits(resource, setting, capacity, guaranteed, perSource, idleNanos, nothing, ownStay);
    }

    /**
     * {@return a copy that takes nothing back from the source that asks} For work that is lost if it is interrupted.
     */
    public ShareLimits whereOwnStay() {
        return new ShareLimits(resource, setting, capacity, guaranteed, perSource, idleNanos, idleKeepsNothing, true);
    }
}
