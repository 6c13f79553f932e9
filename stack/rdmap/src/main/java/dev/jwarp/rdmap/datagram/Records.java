package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.Share;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.Tally;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.ddp.datagram.SegmentMap;
import dev.jwarp.ddp.datagram.SegmentShape;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.MessageSources.MessageSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open records: half received messages by their key, within limits for all sources, for each source, and for
 * sources that have not proved their address (datagram-iWARP §7, §13). UD: at a limit, a newer message displaces an
 * older one, because even an honest peer leaves many messages incomplete at 1 % loss. The displaced message is the
 * oldest of the address with the most, regardless of ports, or else the oldest of the sender's own address. RD: a
 * channel loses nothing, so the newer message waits. Owner thread only; allocates while it grows.
 */
final class Records {
    /** The resources of UD records that are shared out by address. */
    private enum Scarce {
        RECORDS,
        RECEIVES,
        BITS
    }

    private final EndpointCore core;
    private final boolean reliable;
    private final int limit;
    private final int limitPerSource;
    private final IntSupplier receiveDepth;
    private final long receivesPercent;
    private final int receiveLimitPerSource;
    /** datagram-iWARP §13: limits for all sources without a proved address. */
    private final int strangersLimit;

    private final long strangersPercent;
    private final long strangersBits;
    private final RecordPool pool;
    private final ValiditySlab slab;
    private final MessageSources sources;
    private final Tally<DatagramCounter> counters;
    private final MessageEnds ends;

    private final @Nullable MessageRecord[] buckets;
    private final LinkedPlaces<ListPlace<MessageRecord>> known = new LinkedPlaces<>();
    private final LinkedPlaces<ListPlace<MessageRecord>> strangers = new LinkedPlaces<>();
    // Shares by address. This class enforces the limits, because a limit can span several of these.
    private final Map<Scarce, Shares> ofKnown = new EnumMap<>(Scarce.class);
    private final Map<Scarce, Shares> ofStrangers = new EnumMap<>(Scarce.class);
    /** The share of the address that asks for space; holds nothing. */
    private final Share asker;

    private final TimerHeap<Deadline<MessageRecord>> deadlines = new TimerHeap<>();
    private int receives;
    private int strangersReceives;
    private long bitsOfStrangers;

    Records(EndpointCore core, IntSupplier receiveDepth, MessageSources sources, MessageEnds ends) {
        this.core = core;
        reliable = core.reliable;
        DatagramSettings settings = core.settings;
        limit = settings.count(DatagramLimit.RECORDS);
        limitPerSource = settings.count(DatagramLimit.RECORDS_PER_SOURCE);
        this.receiveDepth = receiveDepth;
        receivesPercent = settings.get(DatagramLimit.RECEIVES_PERCENT);
        receiveLimitPerSource = settings.count(DatagramLimit.RECEIVES_PER_SOURCE);
        strangersPercent = settings.get(DatagramLimit.STRANGERS_PERCENT);
        strangersLimit = (int) Math.max(1, limit * strangersPercent / 100);
        strangersBits = settings.get(DatagramLimit.BITMAP_MEMORY) * strangersPercent / 100;
        pool = core.records;
        slab = core.slab;
        this.sources = sources;
        counters = core.counters;
        this.ends = ends;
        buckets = new MessageRecord[Integer.highestOneBit(limit * 2 - 1)];
        ShareLimits all = ShareLimits.of(
                "half received messages", DatagramLimit.RECORDS.key(), Long.MAX_VALUE, 0, Long.MAX_VALUE);
        for (Scarce what : Scarce.values()) {
            ofKnown.put(what, new Shares(all, sources.secret(), said -> {})); // a counter reports it
            ofStrangers.put(what, new Shares(all, sources.secret(), said -> {}));
        }
        asker = among(Scarce.RECORDS, false).join(0, now -> {}, 0);
        asker.leave();
    }

    private Shares among(Scarce what, boolean stranger) {
        return Objects.requireNonNull((stranger ? ofStrangers : ofKnown).get(what));
    }

    /** datagram-iWARP §13 (DG-13-5): limit of half received Sends, so that others find receives. */
    private int receiveLimit() {
        return (int) Math.max(1, receiveDepth.getAsInt() * receivesPercent / 100);
    }

    private int strangersReceiveLimit() {
        return (int) Math.max(1, receiveLimit() * strangersPercent / 100);
    }

    /**
     * {@return whether half received Sends hold all receives that they may, so that a newer Send can displace an older
     * one}
     */
    boolean sendsHoldTheirShare(boolean proved) {
        return receives >= receiveLimit() || (!proved && strangersReceives >= strangersReceiveLimit());
    }

    /** {@return the number of open records} */
    int size() {
        return known.size() + strangers.size();
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit(DatagramLimit.RECORDS.key(), size(), limit);
        sink.limit("half-received-sends", receives, receiveLimit());
        sink.limit(
                DatagramLimit.BITMAP_MEMORY.key(),
                slab.usedOctets(),
                slab.madeOctets(),
                core.settings.get(DatagramLimit.BITMAP_MEMORY));
    }

    /** {@return the open record of a message, or null} The key includes the source (DG-7-14). */
    @Nullable
    MessageRecord find(InboundSegment in) {
        Shim shim = in.shim();
        MessageRecord record = buckets[(int) in.hash & (buckets.length - 1)];
        while (record != null
                && !(record.hash == in.hash
                        && record.messageId == shim.messageId()
                        && record.sourceQpn == shim.sourceQpn()
                        && record.source.equals(in.source()))) {
            record = record.link;
        }
        return record;
    }

    /**
     * Opens a record for a message of several segments; at a limit, displaces older records.
     *
     * @param in the first segment of the message to arrive
     * @param send whether the record will hold a receive
     * @return null if there is no space
     */
    @Nullable
    MessageRecord open(InboundSegment in, boolean send) {
        MessageSource origin = sources.hold(in.source());
        LinkedPlaces<ListPlace<MessageRecord>> list = in.known() ? known : strangers;
        if (!hasRoom(origin, list, send, in.shape, in.now)) {
            sources.release(origin);
            return null;
        }
        MessageRecord record = pool.take();
        if (record != null && !opened(record, in.shape)) {
            // Displaces one record only: the bitmap of a Write-Record is freed with its completion, so displacing more
            // would not help.
            if (!reliable && evict(origin, list, Scarce.BITS, in.now)) {
                pool.drain();
            }
            if (!opened(record, in.shape)) {
                pool.give(record);
                record = null;
            }
        }
        if (record == null) {
            sources.release(origin);
            return null;
        }
        record.about(in.datagram(), in.opcode);
        record.hash = in.hash;
        record.stranger = !in.known();
        record.origin = origin;
        enter(record, list, in.now);
        if (send) {
            hold(record, 1);
        }
        if (!reliable) {
            share(record, send, in.now);
        }
        return record;
    }

    private void share(MessageRecord record, boolean send, long nowNanos) {
        record.share = joined(record, record.share, Scarce.RECORDS, 1, nowNanos);
        record.ofBits = joined(record, record.ofBits, Scarce.BITS, bits(record), nowNanos);
        if (send) {
            record.ofReceives = joined(record, record.ofReceives, Scarce.RECEIVES, 1, nowNanos);
        }
    }

    private Share joined(MessageRecord record, @Nullable Share before, Scarce what, long units, long nowNanos) {
        Shares among = among(what, record.stranger);
        long source = Objects.requireNonNull(record.origin).sourceKey();
        Share share = before;
        if (share == null) {
            share = among.join(source, now -> evict(record, now), nowNanos);
        } else {
            share.joinAgain(among, source, nowNanos);
        }
        share.take(units, nowNanos);
        return share;
    }

    private boolean opened(MessageRecord record, SegmentShape shape) {
        return record.map.open(slab, shape.messageLength(), shape.segmentSize());
    }

    /**
     * Places the segment that {@code in} describes in an open record; the last missing segment ends the message
     * (DG-7-1).
     */
    SegmentFate place(MessageRecord record, InboundSegment in) {
        record.place(in.shape.offset(), in.buffer(), in.payloadAt(), in.shape.payload());
        SegmentFate fate = in.accepted();
        record.map.place(in.shape.index());
        if (record.map.isComplete()) {
            end(record, OperationStatus.SUCCESS, in.now);
        } else {
            if (!reliable) {
                touch(record, in.now);
            }
            in.leaves(record);
        }
        return fate;
    }

    private void enter(MessageRecord record, LinkedPlaces<ListPlace<MessageRecord>> list, long nowNanos) {
        record.state = MessageRecord.State.OPEN;
        int bucket = (int) record.hash & (buckets.length - 1);
        record.link = buckets[bucket];
        buckets[bucket] = record;
        list.add(record.inPool);
        MessageSource origin = record.origin;
        if (origin != null) {
            origin.records.add(record.ofSource);
        }
        if (record.stranger) {
            bitsOfStrangers += bits(record);
        }
        if (!reliable) {
            record.lastsUntil = nowNanos + core.settings.messageNanos(record.length);
            record.idleNanos = core.settings.get(DatagramLimit.IDLE_NANOS);
            record.pace.begin(nowNanos);
            touch(record, nowNanos);
        }
    }

    /** Postpones the time limit after a new segment. */
    private void touch(MessageRecord record, long nowNanos) {
        // datagram-iWARP §7 (DG-7-11): T_idle after the last new segment, T_max after the first.
        record.pace.came(nowNanos);
        deadlines.postpone(
                record.deadline,
                Math.min(
                        record.pace.nextBy(record.map, record.idleNanos),
                        record.pace.wholeBy(record.map, record.lastsUntil)));
    }

    private boolean hasRoom(
            MessageSource origin,
            LinkedPlaces<ListPlace<MessageRecord>> list,
            boolean send,
            SegmentShape shape,
            long nowNanos) {
        if (reliable) {
            return size() < limit;
        }
        boolean room = true;
        while (room && origin.records.size() >= limitPerSource) {
            room = evict(oldest(origin.records, false), nowNanos);
        }
        while (room && send && origin.receives >= receiveLimitPerSource) {
            room = evict(oldest(origin.records, true), nowNanos);
        }
        if (list == strangers) {
            long more = SegmentMap.memory(shape.messageLength(), shape.segmentSize());
            while (room && strangers.size() >= strangersLimit) {
                room = evict(origin, list, Scarce.RECORDS, nowNanos);
            }
            while (room && send && strangersReceives >= strangersReceiveLimit()) {
                room = evict(origin, list, Scarce.RECEIVES, nowNanos);
            }
            while (room && bitsOfStrangers + more > strangersBits) {
                room = evict(origin, list, Scarce.BITS, nowNanos);
            }
        }
        while (room && send && receives >= receiveLimit()) {
            room = evict(origin, list, Scarce.RECEIVES, nowNanos);
        }
        while (room && size() >= limit) {
            room = evict(origin, list, Scarce.RECORDS, nowNanos);
        }
        return room;
    }

    /**
     * Ends a record to make space for a newer one (datagram-iWARP §7, §13; DG-7-5, DG-13-5, DG-13-6): a record
     * of the address with the most of {@code what}, if it has more than the sender's address; else a record of the
     * sender's address; if there is none, the oldest record of the list.
     *
     * @return whether a record was ended
     */
    private boolean evict(
            MessageSource origin, LinkedPlaces<ListPlace<MessageRecord>> list, Scarce what, long nowNanos) {
        asker.joinAgain(among(what, list == strangers), origin.sourceKey(), nowNanos);
        boolean gave = asker.takeBackFromOther(nowNanos);
        asker.leave();
        return gave || evict(oldest(list, what == Scarce.RECEIVES), nowNanos);
    }

    private boolean evict(@Nullable MessageRecord oldest, long nowNanos) {
        if (oldest == null) {
            return false;
        }
        counters.count(DatagramCounter.RECORDS_EVICTED);
        end(oldest, OperationStatus.EVICTED, nowNanos);
        return true;
    }

    private static @Nullable MessageRecord oldest(LinkedPlaces<ListPlace<MessageRecord>> list, boolean holdingReceive) {
        ListPlace<MessageRecord> place = list.first();
        while (place != null && holdingReceive && place.of.writeRecord()) {
            place = list.after(place);
        }
        return place == null ? null : place.of;
    }

    /** Closes a record and ends its message. */
    void end(MessageRecord record, OperationStatus status, long nowNanos) {
        close(record);
        ends.ended(record, status, nowNanos);
    }

    /** Removes a record from all lists and tables of this class. */
    void close(MessageRecord record) {
        int bucket = (int) record.hash & (buckets.length - 1);
        MessageRecord before = null;
        MessageRecord at = buckets[bucket];
        while (at != null && at != record) {
            before = at;
            at = at.link;
        }
        if (at == null) {
            throw new IllegalStateException("a record was closed that was not open: " + record);
        }
        if (before == null) {
            buckets[bucket] = record.link;
        } else {
            before.link = record.link;
        }
        record.link = null;
        (record.stranger ? strangers : known).remove(record.inPool);
        if (record.stranger) {
            bitsOfStrangers -= bits(record);
        }
        deadlines.remove(record.deadline);
        if (!record.writeRecord()) {
            hold(record, -1);
        }
        leave(record.share);
        leave(record.ofBits);
        leave(record.ofReceives);
        MessageSource origin = Objects.requireNonNull(record.origin);
        origin.records.remove(record.ofSource);
        sources.release(origin);
        record.origin = null;
        record.state = MessageRecord.State.ENDED;
        core.freed++;
    }

    private static void leave(@Nullable Share share) {
        if (share != null) {
            share.leave();
        }
    }

    private void hold(MessageRecord record, int count) {
        receives += count;
        if (record.stranger) {
            strangersReceives += count;
        }
        Objects.requireNonNull(record.origin).receives += count;
    }

    private static int bits(MessageRecord record) {
        return SegmentMap.memory(record.map.length(), record.map.segmentSize());
    }

    /** {@return when to call {@link #expire}} */
    long nextTimeout() {
        return deadlines.next();
    }

    /**
     * Ends the records whose time limit has passed: Write-Records as PARTIAL, with the map of placed segments (DG-7-2).
     */
    void expire(long nowNanos) {
        Deadline<MessageRecord> due = deadlines.pollDue(nowNanos);
        while (due != null) {
            MessageRecord record = due.of;
            counters.count(record.writeRecord() ? DatagramCounter.RECORDS_PARTIAL : DatagramCounter.SENDS_LOST);
            end(record, OperationStatus.PARTIAL, nowNanos);
            due = deadlines.pollDue(nowNanos);
        }
    }

    /** Aborts the records that meet the condition. */
    void abort(Predicate<MessageRecord> condition, long nowNanos) {
        abort(known, condition, nowNanos);
        abort(strangers, condition, nowNanos);
    }

    private void abort(LinkedPlaces<ListPlace<MessageRecord>> list, Predicate<MessageRecord> condition, long nowNanos) {
        ListPlace<MessageRecord> place = list.first();
        while (place != null) {
            MessageRecord record = place.of;
            place = list.after(place); // aborting removes the record from the list
            if (condition.test(record)) {
                abort(record, nowNanos);
            }
        }
    }

    /** Ends a record whose memory, queue pair or channel has ended (DG-7-6). */
    void abort(MessageRecord record, long nowNanos) {
        counters.count(DatagramCounter.RECORDS_ABORTED);
        end(record, OperationStatus.ABORTED, nowNanos);
    }
}
