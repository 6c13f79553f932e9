package dev.jwarp.base;

/** One holder's part of a limited resource; see {@link Shares}. Owner thread only; allocates nothing. */
public final class Share {
    final ShareHolder holder;
    ShareSource source;
    final Place<Share> place = new Place<>(this);
    final Place<Share> placeInSource = new Place<>(this);
    private Shares shares;
    long held;
    long movedAt;
    ShareTurn turn = ShareTurn.BY_SIZE;

    boolean left;

    Share(Shares shares, ShareSource source, ShareHolder holder, long nowNanos) {
        this.shares = shares;
        this.source = source;
        this.holder = holder;
        movedAt = nowNanos;
    }

    /**
     * Takes units, if necessary from other holders.
     *
     * @return false if the units are not available; nothing is taken then
     */
    public boolean take(long units, long nowNanos) {
        return shares.take(this, units, nowNanos);
    }

    /**
     * Takes units only if they are free.
     *
     * @return false if the units are not free; nothing is taken then
     */
    public boolean takeFree(long units, long nowNanos) {
        return shares.takeFree(this, units, nowNanos);
    }

    /** Sets when this holder is asked to return units; {@link ShareTurn#BY_SIZE} by default. */
    public void turn(ShareTurn wanted) {
        shares.turn(this, wanted);
    }

    /**
     * Makes another holder return units although the limit is not reached, because less is available than the limit
     * says.
     *
     * @return false if no holder returned units
     */
    public boolean takeBackFromOther(long nowNanos) {
        return shares.takeBackFor(this, nowNanos);
    }

    /**
     * {@return when to ask again after a refusal: in {@code pauseNanos}, later if many holders of its source wait} Each
     * attempt costs time, and a source with a thousand waiting holders must not use all of it.
     */
    public long askAgain(long pauseNanos, long nowNanos) {
        return Shares.askAgain(source, pauseNanos, nowNanos);
    }

    /** Joins again after {@link #leave}, with the same resource and source: for holders that are reused. */
    public void joinAgain(Shares of, long ofSource, long nowNanos) {
        of.admit(this, ofSource, nowNanos);
        shares = of;
    }

    /** Returns units. */
    public void give(long units) {
        shares.give(this, units);
    }

    /** Marks progress: the holder is not idle. */
    public void moved(long nowNanos) {
        shares.moved(this, nowNanos);
    }

    /** {@return the time of the holder's last progress} */
    public long movedAt() {
        return movedAt;
    }

    /** Marks the holder as finished: it is idle at once, and returns units before all others that hold as much. */
    public void rest(long nowNanos) {
        shares.rest(this, nowNanos);
    }

    /** Leaves and returns all units. Further calls have no effect. */
    public void leave() {
        shares.leave(this);
    }

    /** {@return units that the holder has} */
    public long held() {
        return held;
    }
}
