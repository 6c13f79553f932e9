package dev.jwarp.base;

/**
 * How a limited resource is divided.
 *
 * @param resource what it is, for a sentence: "memory for half FPDUs"
 * @param setting what to raise if it is too little, for a sentence
 * @param capacity units in all; of a rate, units in each period
 * @param guaranteed units that each holder can have whatever others hold, as long as holders times this are within capacity
 * @param reserve units that only those get who stay within what is guaranteed to them
 * @param perHolder most units of one holder
 * @param perSource most units of all holders of one source
 * @param idleNanos who has not moved for so long is idle, and gives way first
 * @param idleKeepsNothing whether who is idle gives way with what is guaranteed too, not only with what is beyond it
 * @param periodNanos of a rate: how long until everything taken is there again; 0 for what has to be given back
 */
public record ShareLimits(
        String resource,
        String setting,
        long capacity,
        long guaranteed,
        long reserve,
        long perHolder,
        long perSource,
        long idleNanos,
        boolean idleKeepsNothing,
        long periodNanos) {

    /** Checks it. */
    public ShareLimits {
        if (capacity < 0 || guaranteed < 0 || reserve < 0 || reserve > capacity || idleNanos < 0 || periodNanos < 0) {
            throw new IllegalArgumentException("limits of " + resource + " that cannot be kept: capacity " + capacity
                    + ", guaranteed " + guaranteed + ", reserve " + reserve);
        }
    }

    /** {@return a resource that is taken and given back, without limits for one holder or source} */
    public static ShareLimits of(String resource, String setting, long capacity, long guaranteed, long idleNanos) {
        return new ShareLimits(resource, setting, capacity, guaranteed, 0, capacity, capacity, idleNanos, false, 0);
    }

    /** {@return a rate: so many units in each period, without limits for one holder or source} */
    public static ShareLimits rate(
            String resource, String setting, long capacity, long guaranteed, long reserve, long periodNanos) {
        return new ShareLimits(
                resource, setting, capacity, guaranteed, reserve, capacity, capacity, 0, false, periodNanos);
    }

    /** {@return the same with a limit for each holder} */
    public ShareLimits perHolder(long most) {
        return new ShareLimits(
                resource,
                setting,
                capacity,
                guaranteed,
                reserve,
                most,
                perSource,
                idleNanos,
                idleKeepsNothing,
                periodNanos);
    }

    /** {@return the same with a limit for each source} */
    public ShareLimits perSource(long most) {
        return new ShareLimits(
                resource,
                setting,
                capacity,
                guaranteed,
                reserve,
                perHolder,
                most,
                idleNanos,
                idleKeepsNothing,
                periodNanos);
    }

    /** {@return the same, with nothing guaranteed to who is idle} */
    public ShareLimits idleKeepsNothing(boolean nothing) {
        return new ShareLimits(
                resource,
                setting,
                capacity,
                guaranteed,
                reserve,
                perHolder,
                perSource,
                idleNanos,
                nothing,
                periodNanos);
    }
}
