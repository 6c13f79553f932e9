package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Processes the replies of peers other than data: NOTIFY, CHALLENGE, VERSION LIST (datagram-iWARP §9); and ends Reads
 * that are not answered in time. The replies have passed check 9. They change no state except that of a Read
 * (DG-9.3-4). Owner thread only.
 */
final class PeerReplies {
    /** datagram-iWARP §8 (DG-5.5-2): how often a Read Request is sent again. */
    private static final int CHALLENGES = 2;

    /** How long Read Requests to a peer carry its cookie. */
    private static final long COOKIE_NANOS = 120_000_000_000L;

    private final OutstandingReads reads;
    private final RecentSends recent;
    private final ReadAnswers answers;
    private final SendEnds ends;
    private final PeerTurns turns;
    private final DatagramListener listener;
    private final DatagramEvent event;
    private final Tally<DatagramCounter> counters;

    PeerReplies(
            EndpointCore core,
            OutstandingReads reads,
            RecentSends recent,
            ReadAnswers answers,
            SendEnds ends,
            PeerTurns turns) {
        this.reads = reads;
        this.recent = recent;
        this.answers = answers;
        this.ends = ends;
        this.turns = turns;
        listener = core.listener;
        event = core.event;
        counters = core.counters;
    }

    void onNotify(ReceivedDatagram reply, int control) {
        // RFC 5040 §4.8: layer 4 bits, type 4, code 8.
        TerminateCode code = TerminateCode.of(control >>> 28, control >>> 24 & 0xf, control >>> 16 & 0xff);
        OutstandingRead read = answers.asked(reply) ? reads.find(reply.shim().messageId()) : null;
        counters.count(DatagramCounter.NOTIFIES_TAKEN);
        String sentence = code == null
                ? String.format(Locale.ROOT, "the peer refused a message with the unknown code 0x%04x", control >>> 16)
                : code.sentence();
        tell(DatagramEvent.Kind.REFUSED_BY_PEER, reply, code, sentence);
        if (read != null) { // datagram-iWARP §8 (DG-8-4)
            ends.readEnded(read, code == null ? OperationStatus.REM_OP_ERR : code.requesterStatus());
        }
    }

    /** datagram-iWARP §4.7 (DG-4.7-6): only reported to the program. */
    void onVersionList(ReceivedDatagram reply, int versions) {
        tell(
                DatagramEvent.Kind.OTHER_VERSION,
                reply,
                null,
                String.format(Locale.ROOT, "the peer speaks other versions of datagram-iWARP: bits 0x%x", versions));
    }

    private void tell(DatagramEvent.Kind kind, ReceivedDatagram reply, @Nullable TerminateCode code, String words) {
        int messageId = reply.shim().messageId();
        event.set(kind, reply, code, words);
        OutstandingRead read = reads.find(messageId);
        DatagramOperation op = read == null ? null : read.operation;
        if (recent.asked(reply)) {
            event.workRequest(recent.workRequestId(messageId));
        } else if (op != null) {
            event.workRequest(op.workRequestId());
        }
        listener.event(event);
    }

    /**
     * A peer asks for a cookie. All unanswered requests to this peer without this cookie are sent again, because their
     * CHALLENGEs would ask for the same cookie, if they arrive at all (datagram-iWARP §8, DG-8-10).
     */
    void onChallenge(ReceivedDatagram reply, long high, long low, long nowNanos) {
        OutstandingRead read = answers.asked(reply) ? reads.find(reply.shim().messageId()) : null;
        DatagramOperation op = read == null ? null : read.operation;
        if (read == null || op == null || !mayAskAgain(read, op, high, low) || willShow(read, op, high, low)) {
            counters.count(DatagramCounter.RX_REPLY_UNMATCHED);
            return;
        }
        counters.count(DatagramCounter.CHALLENGES_ANSWERED);
        // The program may have several address handles for the peer; all of them get the cookie.
        DatagramPeer peer = op.destination().peer();
        reads.each(other -> {
            DatagramOperation asked = other.operation;
            if (asked == null) {
                return;
            }
            DatagramDestination to = asked.destination();
            if (!to.is(peer.address(), peer.queuePairNumber())) {
                return;
            }
            to.peer().cookie(high, low, nowNanos + COOKIE_NANOS);
            if (mayAskAgain(other, asked, high, low) && !other.again) { // waiting requests carry the newest
                other.challenges++;
                other.again = true;
                to.again().append(asked);
                turns.add(to);
            }
        });
    }

    /**
     * False if the request is not sent yet, has carried this cookie, or was repeated twice, which is enough for any
     * honest peer.
     */
    private static boolean mayAskAgain(OutstandingRead read, DatagramOperation op, long high, long low) {
        return op.progress == DatagramOperation.Progress.AWAITING_RESPONSE
                && read.challenges < CHALLENGES
                && !read.showed(high, low);
    }

    private static boolean willShow(OutstandingRead read, DatagramOperation op, long high, long low) {
        DatagramPeer peer = op.destination().peer();
        return read.again && peer.cookieHigh() == high && peer.cookieLow() == low;
    }

    /** The kernel refuses a datagram of an operation; reported like a reply, because no reply will come. */
    void unsendable(DatagramOperation op, String sentence) {
        DatagramPeer peer = op.destination().peer();
        event.set(DatagramEvent.Kind.UNSENDABLE, peer.address(), peer.queuePairNumber(), op.messageId, null, sentence);
        listener.event(event.workRequest(op.workRequestId()));
    }

    /** Ends the Reads whose time limit has passed (DG-8-3); this layer does not repeat requests (DG-8-9). */
    void expire(long nowNanos) {
        for (OutstandingRead read = reads.overdue(nowNanos); read != null; read = reads.overdue(nowNanos)) {
            long until = answers.comesUntil(read);
            if (until > nowNanos) {
                reads.extend(read, until);
            } else {
                overdue(read);
            }
        }
    }

    private void overdue(OutstandingRead read) {
        MessageRecord record = read.record;
        boolean some = record != null && record.validBytes() > 0;
        counters.count(some ? DatagramCounter.READS_PARTIAL : DatagramCounter.READS_TIMED_OUT);
        ends.readEnded(read, some ? OperationStatus.PARTIAL : OperationStatus.RESP_TIMEOUT_ERR);
    }
}
