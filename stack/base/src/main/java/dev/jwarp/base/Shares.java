package dev.jwarp.base;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A limited resource and its holders: bytes, buffers, or places of a table. A request gets free units. If these do not
 * suffice, another holder returns units, in this order:
 *
 * <ol>
 *   <li>the largest idle holder with more than its guaranteed units, or with any units if idle holders keep nothing;
 *   <li>a holder of the source that holds most, if that is more than the requester's source holds: its largest idle
 *       holder, or else the slowest of its largest holders;
 *   <li>another holder of the requester's own source: the largest idle holder, or the slowest of those at least as
 *       large as the requester; a holder with no more than its guaranteed units only if it is idle. None if
 *       {@link ShareLimits#ownStay} is set.
 * </ol>
 *
 * <p>A holder whose {@link Share#turn} is first counts as twice as large; a holder whose turn is never is not asked.
 *
 * <p>So a peer that takes much and does nothing harms only itself, and many connections of one host get no more than
 * one connection of another. When a source reaches its own limit, units are taken from that source. "Largest" compares
 * size classes that double, and "slowest" the order of last progress, so every call takes constant time.
 *
 * <p>No clock: time is an argument. Owner thread only. Allocates when a holder joins, and for log sentences.
 */
public final class Shares {
    /** Minimum time between two log sentences. */
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Maximum number of holders that may decline before a request is refused. */
    private static final int MOST_DECLINED = 4;

    /** Maximum number of attempts of the waiting holders of one source during one pause. */
    private static final int ASKS_A_PAUSE = 2;

    /** Maximum number of pauses before a holder asks again, because not all holders that reserved an attempt use it. */
    private static final int MOST_PAUSES = 200;

    private final ShareLimits limits;
    private final ShareWatcher watcher;
    private final HeldTable<ShareSource> joined = new HeldTable<>(ShareSource::new);
    private final long secret;
    private final Ranking<Share> everybody = new Ranking<>();
    private final Ranking<ShareSource> sources = new Ranking<>();
    private long used;
    private int holders;
    private boolean takingBack;

    /**
     * Holders that returned nothing during the current call: removed from their ranks until the call ends, then placed
     * behind all others.
     */
    private final @Nullable Share[] declined = new Share[MOST_DECLINED];

    private int declinedCount;

    private boolean spoken;
    private long spokeAt;
    private long unsaid;

    /**
     * Creates a resource without holders.
     *
     * @param secret a random number, so that peers cannot choose addresses with slow look-up
     * @param watcher called when units are taken back or refused
     */
    public Shares(ShareLimits limits, long secret, ShareWatcher watcher) {
        this.limits = limits;
        this.watcher = watcher;
        this.secret = secret;
    }

    /** {@return the limits} */
    public ShareLimits limits() {
        return limits;
    }

    /** {@return units in use} Any thread: a recent value. */
    public long used() {
        return used;
    }

    /** {@return the number of holders, including those without units} Any thread: a recent value. */
    public int holders() {
        return holders;
    }

    /** {@return the number of sources with holders} Any thread: a recent value. */
    public int sources() {
        return joined.size();
    }

    /**
     * Adds a holder; {@link Share#leave} removes it.
     *
     * @param source source of the holder, see {@link SourceKey}
     */
    public Share join(long source, ShareHolder holder, long nowNanos) {
        ShareSource at = hold(source, nowNanos);
        try {
            Share share = new Share(this, at, holder, nowNanos);
            holders++;
            return share;
        } catch (Throwable e) {
            joined.release(at);
            throw e;
        }
    }

    void admit(Share share, long source, long nowNanos) {
        if (!share.left) {
            throw new IllegalStateException("a holder of " + limits.resource() + " joins again that has not left");
        }
        share.source = hold(source, nowNanos);
        share.movedAt = nowNanos;
        share.left = false;
        holders++;
    }

    private ShareSource hold(long source, long nowNanos) {
        long hash = SplitMix.hash(secret, source);
        ShareSource known = joined.first(hash); // the hash is bijective
        if (known != null) {
            return joined.hold(known);
        }
        ShareSource at = joined.add(hash);
        at.key = source;
        at.asksAgain = nowNanos;
        return at;
    }

    boolean take(Share share, long units, long nowNanos) {
        checkMayTake(share, units);
        moved(share, nowNanos);
        boolean room = makeRoom(share, units, nowNanos);
        if (!takingBack) {
            readmitDeclined();
        }
        if (!room) {
            return refuse(share, units, nowNanos);
        }
        add(share, units);
        return true;
    }

    boolean takeFree(Share share, long units, long nowNanos) {
        checkMayTake(share, units);
        moved(share, nowNanos);
        if (share.source.held + units > limits.perSource() || used + units > limits.capacity()) {
            return refuse(share, units, nowNanos);
        }
        add(share, units);
        return true;
    }

    private void checkMayTake(Share share, long units) {
        if (units < 0 || share.left) {
            throw new IllegalArgumentException(units + " units of " + limits.resource()
                    + (share.left ? " for a holder that has left" : ": there are no fewer than 0"));
        }
    }

    void turn(Share share, ShareTurn wanted) {
        ShareTurn before = share.turn;
        share.turn = wanted;
        int rank = rank(share, share.held);
        try {
            everybody.grow(rank);
            share.source.shares.grow(rank);
        } catch (Throwable e) {
            share.turn = before;
            throw e;
        }
        everybody.put(share.place, rank);
        share.source.shares.put(share.placeInSource, rank);
    }

    private boolean makeRoom(Share share, long units, long nowNanos) {
        ShareSource source = share.source;
        if (share.held + units > limits.perSource()) {
            return false; // no holder loses units for a request that cannot be met
        }
        while (source.held + units > limits.perSource()) {
            if (!takeBack(ofOwnSource(share, units, nowNanos), share, nowNanos)) {
                return false;
            }
        }
        while (used + units > limits.capacity()) {
            if (!takeBack(victim(share, units, nowNanos), share, nowNanos)) {
                return false;
            }
        }
        return true;
    }

    boolean takeBackFor(Share share, long nowNanos) {
        long before = used;
        boolean goOn = true;
        while (goOn && used == before) {
            goOn = takeBack(victim(share, 1, nowNanos), share, nowNanos);
        }
        if (!takingBack) {
            readmitDeclined();
        }
        return used < before;
    }

    private void readmitDeclined() {
        while (declinedCount > 0) {
            declinedCount--;
            Share share = declined[declinedCount];
            declined[declinedCount] = null;
            if (share != null) {
                int rank = rank(share, share.held);
                everybody.put(share.place, rank);
                share.source.shares.put(share.placeInSource, rank);
            }
        }
    }

    void give(Share share, long units) {
        if (units < 0 || units > share.held) {
            throw new IllegalArgumentException(
                    units + " units of " + limits.resource() + " given back by a holder of " + share.held);
        }
        add(share, -units);
    }

    static long askAgain(ShareSource source, long pauseNanos, long nowNanos) {
        long next = source.asksAgain - nowNanos + pauseNanos / ASKS_A_PAUSE;
        long wait = Math.min(Math.max(next, pauseNanos), MOST_PAUSES * pauseNanos);
        source.asksAgain = nowNanos + wait;
        return source.asksAgain;
    }

    void moved(Share share, long nowNanos) {
        share.movedAt = nowNanos;
        if (share.held > 0) {
            everybody.renew(share.place);
            share.source.shares.renew(share.placeInSource);
            sources.renew(share.source.place);
        }
    }

    void rest(Share share, long nowNanos) {
        share.movedAt = nowNanos - limits.idleNanos();
        if (share.held > 0) {
            everybody.age(share.place);
            share.source.shares.age(share.placeInSource);
        }
    }

    void leave(Share share) {
        if (share.left) {
            return;
        }
        add(share, -share.held);
        share.left = true;
        holders--;
        joined.release(share.source);
    }

    private void add(Share share, long units) {
        if (units == 0) {
            return;
        }
        ShareSource source = share.source;
        int rank = rank(share, share.held + units);
        int rankOfSource = rank(source.held + units);
        everybody.grow(rank); // may throw: nothing is changed then
        source.shares.grow(rank);
        sources.grow(rankOfSource);
        share.held += units;
        source.held += units;
        used += units;
        everybody.put(share.place, rank);
        source.shares.put(share.placeInSource, rank);
        sources.put(source.place, rankOfSource);
    }

    /** Rank 0 is up to the guaranteed units. */
    private int rank(long held) {
        return held == 0 ? Ranking.NONE : Ranking.rank(held, limits.guaranteed());
    }

    private int rank(Share share, long held) {
        int rank = rank(held);
        if (rank == Ranking.NONE || share.turn == ShareTurn.NEVER) {
            return Ranking.NONE;
        }
        return share.turn == ShareTurn.FIRST ? Math.min(rank + 1, Ranking.RANKS - 1) : rank;
    }

    private @Nullable Share victim(Share asker, long units, long nowNanos) {
        Share idle = idle(everybody, asker, lowestIdle(), nowNanos);
        if (idle != null) {
            return idle;
        }
        ShareSource own = asker.source;
        ShareSource largest = sources.highest() == Ranking.NONE ? null : sources.oldest(sources.highest(), own);
        if (largest != null && largest.held > own.held + units) {
            Share resting = idle(largest.shares, asker, 0, nowNanos);
            Share ofLargest = resting != null ? resting : slowest(largest.shares, asker, 0);
            if (ofLargest != null) {
                return ofLargest;
            }
            // None of its holders can be displaced; a source with more units than the requester's would have such a
            // holder.
            Share other = slowest(everybody, asker, 0);
            if (other != null && other.source.held > own.held + units) {
                return other;
            }
        }
        return ofOwnSource(asker, units, nowNanos);
    }

    private @Nullable Share ofOwnSource(Share asker, long units, long nowNanos) {
        if (limits.ownStay()) {
            return null;
        }
        Ranking<Share> own = asker.source.shares;
        Share idle = idle(own, asker, lowestIdle(), nowNanos);
        if (idle == null) {
            idle = slowest(own, asker, Math.max(1, rank(asker.held + units)));
        }
        return idle != null ? idle : idle(own, asker, 0, nowNanos);
    }

    /** {@return the lowest rank whose idle holders return units first} */
    private int lowestIdle() {
        return limits.idleKeepsNothing() ? 0 : 1;
    }

    private @Nullable Share idle(Ranking<Share> among, Share asker, int lowest, long nowNanos) {
        for (int rank = among.highest(); rank >= lowest; rank = among.highestBelow(rank)) {
            Share oldest = among.oldest(rank, asker);
            if (oldest != null && nowNanos - oldest.movedAt >= limits.idleNanos()) {
                return oldest;
            }
        }
        return null;
    }

    private static @Nullable Share slowest(Ranking<Share> among, Share asker, int lowest) {
        for (int rank = among.highest(); rank >= lowest; rank = among.highestBelow(rank)) {
            Share oldest = among.oldest(rank, asker);
            if (oldest != null) {
                return oldest;
            }
        }
        return null;
    }

    /** {@return whether to continue: units became free, or another holder may have some} */
    private boolean takeBack(@Nullable Share victim, Share asker, long nowNanos) {
        if (victim == null || takingBack) {
            return false;
        }
        long before = victim.held;
        takingBack = true;
        try {
            victim.holder.takeBack(nowNanos);
        } catch (Throwable e) {
            failed(victim, e);
        } finally {
            takingBack = false;
        }
        long back = before - (victim.left ? 0 : victim.held);
        if (back <= 0) {
            return decline(victim);
        }
        watcher.onTakenBack(back);
        if (maySpeak(nowNanos)) {
            watcher.say(limits.resource() + " (" + limits.setting() + ", " + limits.capacity() + ") is used up: " + back
                    + " were taken back from " + SourceKey.text(victim.source.key) + ", which had not moved for "
                    + TimeUnit.NANOSECONDS.toMillis(nowNanos - victim.movedAt) + " ms, for "
                    + SourceKey.text(asker.source.key) + others());
        }
        return true;
    }

    /** Excludes the holder from this call, so that others can be asked. */
    private boolean decline(Share victim) {
        everybody.put(victim.place, Ranking.NONE);
        victim.source.shares.put(victim.placeInSource, Ranking.NONE);
        declined[declinedCount++] = victim;
        return declinedCount < MOST_DECLINED;
    }

    /** Calls a holder. Its exceptions affect only that holder, not the requester. */
    private void failed(Share victim, Throwable cause) {
        try {
            watcher.say("giving " + limits.resource() + " back failed for " + SourceKey.text(victim.source.key) + ": "
                    + cause);
        } catch (Throwable again) {
            Faults.suppress(cause, again); // no memory for a sentence
        }
    }

    private boolean refuse(Share share, long units, long nowNanos) {
        watcher.onRefused(units);
        if (maySpeak(nowNanos)) {
            boolean own = limits.perSource() < limits.capacity() && share.source.held + units > limits.perSource();
            watcher.say(limits.resource() + " (" + limits.setting() + ", " + limits.capacity() + ") is used up: "
                    + SourceKey.text(share.source.key) + " does not get " + units
                    + (own ? ", as it has reached its own limit" : "") + others());
        }
        return false;
    }

    private boolean maySpeak(long nowNanos) {
        if (spoken && nowNanos - spokeAt < SILENCE_NANOS) {
            unsaid++;
            return false;
        }
        spoken = true;
        spokeAt = nowNanos;
        return true;
    }

    private String others() {
        long count = unsaid;
        unsaid = 0;
        return count == 0 ? "" : "; " + count + " times more since this was last said";
    }
}
