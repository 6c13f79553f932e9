package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.RangeConsumer;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A datagram queue pair without its verbs: sends the operations of its send queue, takes the segments of peers, and tells a
 * {@link DatagramListener} how each ended (datagram-iWARP §5 to §9). UD: a lost datagram ends nothing and is no error. RD:
 * the lower layer delivers everything once and in order.
 *
 * <p>Threads: the owner calls the methods of {@link DatagramUpperLayer}; others say who may call them. Allocates nothing in
 * steady state.
 */
public final class DatagramEndpoint implements DatagramUpperLayer {
    private final EndpointCore core;
    private final boolean reliable;
    private final DatagramListener listener;
    private final DatagramEvent event;
    private final Tally<DatagramCounter> counters;
    private final RecordPool pool;
    private final RecordLog log;
    private final ReceiveHead receives;
    private final Records records;
    private final MessageEnds messages;
    private final OutstandingReads reads;
    private final ReadJobs jobs;
    private final RecentSends recent;
    private final SendEnds ends;
    final DatagramSends sends;
    private final InboundSegment in;
    private final ReadAnswers answers;
    private final InboundSegments segments;
    private final SegmentRun run;
    private final PeerReplies replies;

    private volatile @Nullable DatagramLowerLayer lower;
    private volatile boolean stopped;

    /** RD: a segment waits for a record, a place in the log or a job. The lower layer offers it again when one is freed. */
    private volatile boolean roomWanted;

    /** What {@link #freed} was then. */
    private long freedBefore;

    /**
     * The queues of an endpoint.
     *
     * @param sends its send queue
     * @param receives its receive queue; the endpoint gives receives back in any order
     * @param receiveDepth how many receives can be posted for it, as of now: half of them may be held by half received Sends
     */
    public record Queues(OperationPool<DatagramOperation> sends, ReceiveSource receives, IntSupplier receiveDepth) {}

    /**
     * Creates an endpoint that is not attached to a port yet.
     *
     * @param memory what peers' STags give access to
     * @param seen shared by the endpoints of one owner
     * @param randomness unguessable: handles of Reads, the first Message Id
     */
    public DatagramEndpoint(
            EndpointCore core, TaggedAccess memory, Queues queues, SeenMessages seen, RandomGenerator randomness) {
        this.core = core;
        reliable = core.reliable;
        listener = core.listener;
        event = core.event;
        counters = core.counters;
        pool = core.records;
        log = new RecordLog(core);
        receives = new ReceiveHead(queues.receives, listener);
        messages = new MessageEnds(core, seen, receives, log);
        MessageSources sources = new MessageSources(seen.hash());
        records = new Records(core, queues.receiveDepth, sources, messages);

        reads = new OutstandingReads(core.settings.count(DatagramLimit.OUTSTANDING_READS));
        sends = new DatagramSends(core, queues.sends, reads, sources, randomness);
        recent = sends.recent;
        jobs = sends.jobs;
        ends = sends.ends;

        in = new InboundSegment(core);
        run = new SegmentRun(counters);
        answers = new ReadAnswers(core, in, reads, ends);
        segments = new InboundSegments(
                core,
                in,
                seen.hash(),
                records,
                messages,
                new InboundSegments.Takers(
                        new InboundSends(core, in, records, messages, receives),
                        new InboundWrites(core, in, memory, records, messages, log),
                        new InboundReads(core, in, memory, messages, jobs),
                        answers));
        replies = new PeerReplies(core, reads, recent, answers, ends, sends.turns);
    }

    /** Something was published in the send queue. Cheap; may be called too often, and before the endpoint is attached. */
    public void posted() {
        DatagramLowerLayer below = lower;
        if (below != null) {
            below.doorbell();
        }
    }

    /** Something was published in the receive queue. Cheap; may be called too often, and before the endpoint is attached. */
    public void receivePosted() {
        DatagramLowerLayer below = lower;
        if (below != null && reliable) {
            below.ready();
        }
        if (stopped) {
            posted();
        }
    }

    /** The listener has places for completions again, after {@link DatagramListener#writeRecorded} answered false. Cheap. */
    public void completionsFreed() {
        if (log.waiting() || roomWanted) {
            posted();
        }
    }

    /** {@return what it has counted} */
    public Tally<DatagramCounter> counters() {
        return counters;
    }

    /** Tells how much of its limits is used (datagram-iWARP §13). Any thread. */
    public void limits(LimitSink sink) {
        records.limits(sink);
        sends.limits(sink);
        log.limits(sink);
    }

    // ---- owner thread
    /** Sets times, and what becomes of incomplete Sends, for what begins from now on. Sizes of tables do not change. */
    public void settings(DatagramSettings settings) {
        core.settings = settings;
    }

    /**
     * The queue pair goes to the error state: everything posted comes back as {@code WR_FLUSH_ERR}, half received
     * Write-Records as {@code ABORTED}; nothing is sent or taken in until {@link #resume}. What is posted meanwhile comes back
     * flushed too (DG-15-1). Idempotent.
     */
    public void stop(long nowNanos) {
        stopped = true;
        DatagramLowerLayer below = lower;
        if (below != null) {
            below.stop(nowNanos); // before anything of ours is used again: it refers to what is under way
        }
        end(false, nowNanos);
    }

    /** The queue pair works again after {@link #stop}. */
    public void resume() {
        stopped = false;
        DatagramLowerLayer below = lower;
        if (below != null) {
            below.resume();
        }
    }

    private void end(boolean gone, long nowNanos) {
        jobs.end(null);
        records.abort(record -> true, nowNanos);
        sends.takePosted();
        ends.flush(gone);
        receives.flush();
    }

    /**
     * A registration has ended (it must be invalid by now): operations, receives and half received messages that use it
     * complete with {@code LOC_PROT_ERR} or {@code ABORTED} (DG-15-2), not only when the endpoint comes to use it.
     * @throws IllegalArgumentException if it is still valid
     */
    public void deregistered(TaggedBuffer registration, long nowNanos) {
        if (registration.valid()) {
            throw new IllegalArgumentException(registration + " is valid: deregister it first");
        }
        records.abort(record -> !record.memoryValid(), nowNanos);
        receives.failWithoutMemory();
        sends.takePosted();
        ends.failWithoutMemory(nowNanos);
    }

    /**
     * Which bytes of a region are covered by what has arrived of its Write-Records: those that are half received, and those
     * whose completion has not been released. For programs that watch memory instead of completions. Allocates.
     *
     * @param taggedOffset of the first byte asked about
     * @param length bytes asked about
     * @param consumer takes the ranges, counted from the first byte asked about; ascending, disjoint, not touching
     */
    public void validity(TaggedBuffer region, long taggedOffset, long length, RangeConsumer consumer) {
        pool.drain();
        pool.validity(region, taggedOffset, length, consumer);
    }

    /** {@return half received messages} */
    int openRecords() {
        return records.size();
    }

    @Override
    public void onAttached(DatagramLowerLayer below, long nowNanos) {
        jobs.attached(below);
        ends.attached(below);
        lower = below;
        below.doorbell();
    }

    @Override
    public boolean working() {
        return !stopped;
    }

    @Override
    public int weight() {
        return core.settings.count(DatagramLimit.WEIGHT);
    }

    @Override
    public boolean asked(ReceivedDatagram reply) {
        return recent.asked(reply) || answers.asked(reply);
    }

    @Override
    public SegmentFate onSegment(ReceivedDatagram segment, long nowNanos) {
        in.begin(segment, nowNanos);
        SegmentFate fate;
        try {
            if (stopped) {
                fate = reliable ? in.refused(Refusal.STOPPED) : in.dropped(DatagramCounter.RX_STOPPED);
            } else {
                pool.drain();
                long before = nextTimeout();
                fate = segments.take();
                DatagramLowerLayer below = lower;
                if (below != null && nextTimeout() < before) {
                    below.timeoutChanged();
                }
            }
        } finally {
            receives.letGo();
            in.done();
        }
        run.follow(in.open(), in.shape.index());
        if (fate == SegmentFate.NOT_READY) {
            roomWanted = reliable;
            freedBefore = freed();
        } else {
            roomMade();
        }
        return fate;
    }

    @Override
    public boolean wantsNext() {
        return run.goesOn();
    }

    @Override
    public boolean onNextSegment(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return run.next(buffer, before, offset, nowNanos);
    }

    @Override
    public TerminateCode refusal() {
        return in.refusal();
    }

    @Override
    public String cause() {
        return in.cause().counterName();
    }

    @Override
    public void onNotify(ReceivedDatagram reply, int control, long nowNanos) {
        replies.onNotify(reply, control);
    }

    @Override
    public void onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos) {
        replies.onChallenge(reply, cookieHigh, cookieLow, nowNanos);
    }

    @Override
    public boolean hasOutput() {
        return stopped || log.waiting() || !sends.turns.isEmpty();
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        pool.drain();
        log.offer();
        roomMade();
        if (stopped) {
            end(false, nowNanos);
            return false;
        }
        sends.takePosted();
        return sends.poll(out, nowNanos);
    }

    private void roomMade() {
        DatagramLowerLayer below = lower;
        if (below != null && roomWanted && freed() != freedBefore) {
            roomWanted = false;
            below.ready();
        }
    }

    /** {@return a number that changes when something is freed that a segment can wait for} */
    private long freed() {
        return core.freed + pool.given();
    }

    @Override
    public boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos) {
        boolean repeated = message instanceof ReadJob job
                ? jobs.repeat(job, index, out)
                : sends.repeat((DatagramOperation) message, index, out, nowNanos);
        if (repeated) {
            counters.count(DatagramCounter.SEGMENTS_REPEATED);
        }
        return repeated;
    }

    @Override
    public void onTransmitted(long nowNanos) {
        ends.transmitted();
    }

    @Override
    public void onAccepted(OutboundMessage message, int count, long nowNanos) {
        if (message instanceof ReadJob job) {
            jobs.accepted(job, count);
            roomMade();
        } else {
            ends.accepted((DatagramOperation) message, count, nowNanos);
        }
    }

    @Override
    public void onUnsendable(OutboundMessage message, String sentence, long nowNanos) {
        if (message instanceof DatagramOperation op && op.progress != DatagramOperation.Progress.DONE) {
            replies.unsendable(op, sentence);
            ends.unsendable(op, nowNanos);
        }
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        jobs.end(peer);
        records.abort(record -> record.isOf(peer), nowNanos);
        if (ends.channelLost(peer, status, all) || all) { // else it was idle, or the peer has ended it: no failure
            String why = code == null ? "" : code.sentence();
            listener.event(event.set(DatagramEvent.Kind.PEER_LOST, peer.address(), peer.queuePairNumber(), 0, code, why)
                    .status(status));
        }
        roomMade();
    }

    @Override
    public void onSilent(DatagramPeer peer, long nowNanos) {
        listener.event(event.set(
                DatagramEvent.Kind.SILENT,
                peer.address(),
                peer.queuePairNumber(),
                0,
                null,
                "nothing has come from there for 10 s: it gets one datagram in 3 s until something does"));
    }

    @Override
    public void onVersionList(ReceivedDatagram reply, int versions, long nowNanos) {
        replies.onVersionList(reply, versions);
    }

    @Override
    public long nextTimeout() {
        return Math.min(Math.min(records.nextTimeout(), jobs.nextTimeout()), reads.nextTimeout());
    }

    @Override
    public void onTimeout(long nowNanos) {
        records.expire(nowNanos);
        DatagramLowerLayer below = lower;
        if (jobs.expire(nowNanos) && below != null && roomWanted) {
            below.ready();
        }
        replies.expire(nowNanos);
    }

    @Override
    public void onDetached(long nowNanos) {
        stopped = true;
        end(true, nowNanos);
        log.offer();
        lower = null;
        listener.detached();
    }
}
