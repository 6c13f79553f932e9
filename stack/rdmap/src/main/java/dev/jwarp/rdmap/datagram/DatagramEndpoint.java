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
 * The protocol of a datagram queue pair, without the verbs: sends the operations of its send queue, receives the
 * segments of peers, and reports completions to a {@link DatagramListener} (datagram-iWARP §5 to §9). UD: a lost
 * datagram is no error. RD: the lower layer delivers every datagram once and in order.
 *
 * <p>Threads: the owner calls the methods of {@link DatagramUpperLayer}; the other methods name their threads.
 * Allocates nothing in steady state.
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

    /**
     * RD: a segment waits for a free record, log entry or job. The lower layer offers the segment again when one is
     * freed.
     */
    private volatile boolean roomWanted;

    /** The value of {@link #freed} when the segment began to wait. */
    private long freedBefore;

    /**
     * The queues of an endpoint.
     *
     * @param sends its send queue
     * @param receives its receive queue; the endpoint releases receives in any order
     * @param receiveDepth current maximum number of posted receives; half received Sends may hold half of them
     */
    public record Queues(OperationPool<DatagramOperation> sends, ReceiveSource receives, IntSupplier receiveDepth) {}

    /**
     * Creates an endpoint that is not yet attached to a port.
     *
     * @param memory the memory that peers' STags give access to
     * @param seen ended messages, shared by the endpoints of one owner
     * @param randomness unpredictable source of Read handles and of the first Message Id
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

    /**
     * Notifies the endpoint of a post to the send queue. Cheap; extra calls, and calls before the endpoint is attached,
     * are harmless.
     */
    public void posted() {
        DatagramLowerLayer below = lower;
        if (below != null) {
            below.doorbell();
        }
    }

    /**
     * Notifies the endpoint of a post to the receive queue. Cheap; extra calls, and calls before the endpoint is
     * attached, are harmless.
     */
    public void receivePosted() {
        DatagramLowerLayer below = lower;
        if (below != null && reliable) {
            below.ready();
        }
        if (stopped) {
            posted();
        }
    }

    /**
     * Notifies the endpoint that the listener can take completions again, after {@link DatagramListener#writeRecorded}
     * returned false. Cheap.
     */
    public void completionsFreed() {
        if (log.waiting() || roomWanted) {
            posted();
        }
    }

    /** {@return the counters of this endpoint} */
    public Tally<DatagramCounter> counters() {
        return counters;
    }

    /** Reports the use of the endpoint's limits (datagram-iWARP §13). Any thread. */
    public void limits(LimitSink sink) {
        records.limits(sink);
        sends.limits(sink);
        log.limits(sink);
    }

    // ---- owner thread
    /**
     * Sets times, and the treatment of incomplete Sends, for messages that begin from now on. Sizes of tables do not
     * change.
     */
    public void settings(DatagramSettings settings) {
        core.settings = settings;
    }

    /**
     * Moves the queue pair to the error state: all posted work completes with {@code WR_FLUSH_ERR}, half received
     * Write-Records with {@code ABORTED}. Until {@link #resume}, nothing is sent or received, and newly posted work is
     * flushed too (DG-15-1). Idempotent.
     */
    public void stop(long nowNanos) {
        stopped = true;
        DatagramLowerLayer below = lower;
        if (below != null) {
            below.stop(nowNanos); // first, because the lower layer refers to operations under way
        }
        end(false, nowNanos);
    }

    /** Resumes work after {@link #stop}. */
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
     * Ends all work that uses a deregistered region, which must already be invalid: operations, receives and half
     * received messages complete with {@code LOC_PROT_ERR} or {@code ABORTED} at once (DG-15-2), not only on the next
     * access.
     * @throws IllegalArgumentException if the registration is still valid
     */
    public void deregistered(TaggedBuffer registration, long nowNanos) {
        if (registration.valid()) {
            throw new IllegalArgumentException(registration + " is valid: deregister it first");
        }
        records.abort(record -> !record.memoryValid(), nowNanos);
        receives.failWithoutMemory();
        sends.takePosted();
        ends.failWithoutMemory(nowNanos);
        if (hasOutput()) {
            posted(); // work behind the failed operations can go
        }
    }

    /**
     * Reports which bytes of a region have arrived in Write-Records that are half received or whose completion is not
     * released. For programs that watch memory instead of completions. Allocates.
     *
     * @param taggedOffset tagged offset of the first byte of the query
     * @param length bytes of the query
     * @param consumer receives the ranges, relative to the first byte of the query; ascending, disjoint, not adjacent
     */
    public void validity(TaggedBuffer region, long taggedOffset, long length, RangeConsumer consumer) {
        pool.drain();
        pool.validity(region, taggedOffset, length, consumer);
    }

    /** {@return the number of half received messages} */
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

    /** {@return a number that changes whenever a resource that a segment can wait for is freed} */
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
        if (ends.channelLost(peer, status, all) || all) { // an idle channel, or one that the peer closed, is no failure
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
