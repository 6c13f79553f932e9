package dev.jwarp.base;

/**
 * How a limited resource is divided.
 *
 * @param resource what it is, for a sentence: "memory for half FPDUs"
 * @param setting what to raise if it is too little, for a sentence
 * @param capacity units in all
 * @param guaranteed units that each holder can have whatever others hold, as long as holders times this are within capacity
 * @param perSource most units of all holders of one source
 * @param idleNanos a holder that has not moved for so long is idle, and gives back first
 * @param idleKeepsNothing whether an idle holder gives back what is guaranteed too, not only what is beyond it
 * @param ownStay whether nothing is taken back for another holder of the same source: the newer one is refused
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

    /** Checks it. */
    public ShareLimits {
        if (capacity < 0 || guaranteed < 0 || idleNanos < 0) {
            throw new IllegalArgumentException("limits of " + resource + " that cannot be kept: capacity " + capacity
                    + ", guaranteed " + guaranteed + ", idle after " + idleNanos + " ns");
        }
    }

    /** {@return a resource that is taken and given back, without a limit for one source} */
    public static ShareLimits of(String resource, String setting, long capacity, long guaranteed, long idleNanos) {
        return new ShareLimits(resource, setting, capacity, guaranteed, capacity, idleNanos, false, false);
    }

    /** {@return three quarters of it: what one source has at most where nothing else is said, so that others find some at once} */
    public static long mostOfOneSource(long capacity) {
        return capacity - capacity / 4;
    }

    /** {@return the same with a limit for each source} */
    public ShareLimits perSource(long most) {
        return new ShareLimits(resource, setting, capacity, guaranteed, most, idleNanos, idleKeepsNothing, ownStay);
    }

    /** {@return the same, with nothing guaranteed to idle holders} */
    public ShareLimits idleKeepsNothing(boolean nothing) {
        return new ShareLimits(resource, setting, capacity, guaranteed, perSource, idleNanos, nothing, ownStay);
    }

    /** {@return the same, with nothing taken back from the source that asks} For what is lost if it ends half done. */
    public ShareLimits whereOwnStay() {
        return new ShareLimits(resource, setting, capacity, guaranteed, perSource, idleNanos, idleKeepsNothing, true);
    }
}
