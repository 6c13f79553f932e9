package dev.jwarp.base;

/** What one holder has of a limited resource; see {@link Shares}. Owner thread only; allocates nothing. */
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
     * Takes so many units, from others if need be.
     *
     * @return false if they cannot be had: nothing is taken then
     */
    public boolean take(long units, long nowNanos) {
        return shares.take(this, units, nowNanos);
    }

    /**
     * Takes so many units if they are free: no other one gives anything back.
     *
     * @return false if they cannot be had: nothing is taken then
     */
    public boolean takeFree(long units, long nowNanos) {
        return shares.takeFree(this, units, nowNanos);
    }

    /** When it is asked to give something back; {@link ShareTurn#BY_SIZE} if nothing is said. */
    public void turn(ShareTurn wanted) {
        shares.turn(this, wanted);
    }

    /**
     * Another one gives something back although the limit is not reached, because there is less than the limit says.
     *
     * @return false if none did
     */
    public boolean takeBackFromOther(long nowNanos) {
        return shares.takeBackFor(this, nowNanos);
    }

    /**
     * {@return when to ask again after a refusal: in {@code pauseNanos}, later if many of its source wait} To ask takes time of its
     * own, and a source that makes a thousand wait may not have all of that.
     */
    public long askAgain(long pauseNanos, long nowNanos) {
        return Shares.askAgain(source, pauseNanos, nowNanos);
    }

    /** One that has left has a share again, of this resource and source: for holders that are used again. */
    public void joinAgain(Shares of, long ofSource, long nowNanos) {
        of.admit(this, ofSource, nowNanos);
        shares = of;
    }

    /** Gives so many units back. */
    public void give(long units) {
        shares.give(this, units);
    }

    /** The holder has moved: it is not idle. */
    public void moved(long nowNanos) {
        shares.moved(this, nowNanos);
    }

    /** {@return when the holder moved last} */
    public long movedAt() {
        return movedAt;
    }

    /** The holder will not move any more: it is idle at once, and gives back before all others that hold as much. */
    public void rest(long nowNanos) {
        shares.rest(this, nowNanos);
    }

    /** The holder goes, and gives everything back. Calls after the first do nothing. */
    public void leave() {
        shares.leave(this);
    }

    /** {@return units that the holder has} */
    public long held() {
        return held;
    }
}
