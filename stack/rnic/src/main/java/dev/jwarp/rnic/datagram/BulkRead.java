package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rdmap.datagram.MessageRecord;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.RangeValidity;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A range that is read by many RDMA Reads, in several passes over the missing bytes. A part is posted only while fewer
 * bytes than half of the socket's receive buffer are requested and not yet received, so that all of them fit into the
 * buffer (datagram-iWARP §8). The poster posts the first parts, the owner the rest.
 */
final class BulkRead implements DatagramCompleter.Whole {
    private static final int LONGEST_PART = 64 << 10;
    private static final int SHORTEST_PART = 1 << 10;

    private final RnicDatagramQueuePair queuePair;
    private final RnicAddressHandle destination;
    private final long id;
    private final int localKey;
    private final long localAddress;
    private final int remoteKey;
    private final long remoteAddress;
    private final @Nullable Duration timeout;
    private final long window;
    private final int longest;
    private final SendWorkRequest part = new SendWorkRequest();

    // Guarded by this.
    private final RangeValidity validity;
    private int roundsLeft;
    private long cursor;
    private long onItsWay;
    private int pending;
    private @Nullable OperationStatus failure;
    private boolean over;

    private BulkRead(
            RnicDatagramQueuePair queuePair, SendWorkRequest whole, RnicAddressHandle destination, int rounds) {
        this.queuePair = queuePair;
        this.destination = destination;
        id = whole.id();
        localKey = whole.lkey(0);
        localAddress = whole.address(0);
        remoteKey = whole.rkey();
        remoteAddress = whole.remoteAddress();
        timeout = whole.timeout();
        validity = new RangeValidity(whole.length(0));
        roundsLeft = rounds;
        // Half of the socket's receive buffer: the other half is for datagrams of other peers.
        window = queuePair.receiveBuffer() / 2;
        longest = (int) Math.max(SHORTEST_PART, Math.min(LONGEST_PART, window));
    }

    /** Posts the whole read. Returns false, without posting anything, if the queue is full. */
    static boolean post(RnicDatagramQueuePair queuePair, SendWorkRequest whole, int rounds) {
        MissingReads.check(whole);
        if (!(whole.destination() instanceof RnicAddressHandle handle) || whole.length(0) == 0) {
            return queuePair.sends().tryPost(whole); // Throws without a destination; an empty read has no parts.
        }
        return queuePair.sends().beginBulk(whole, handle, new BulkRead(queuePair, whole, handle, rounds));
    }

    @Override
    public void describe(Completion entry) {
        entry.memory(localKey, localAddress, validity.length());
        entry.read(destination, remoteKey, remoteAddress);
    }

    @Override
    public synchronized void begin() {
        postPart();
        while (failure == null && onItsWay < window && postFurtherPart()) {
            // postFurtherPart posts.
        }
    }

    @Override
    public synchronized void partEnded(
            DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record) {
        long offset = operation.remoteOffset() - remoteAddress;
        long length = operation.memory().length();
        pending--;
        onItsWay -= length;
        if (status == OperationStatus.SUCCESS) {
            validity.add(offset, length);
        } else if (status != OperationStatus.PARTIAL && status != OperationStatus.RESP_TIMEOUT_ERR) {
            failure = failure == null ? status : failure;
        }
        if (record != null) {
            record.map().forEachRange((from, octets) -> validity.add(offset + from, octets));
            record.release();
        }
    }

    @Override
    public boolean goOn() {
        boolean posted = false;
        synchronized (this) {
            if (over) {
                return false;
            }
            if (queuePair.state() == QueuePairState.ERR && failure == null) {
                failure = OperationStatus.WR_FLUSH_ERR;
            }
            boolean room = true;
            while (room && failure == null && onItsWay < window && somethingIsLeft()) {
                room = postFurtherPart();
                posted |= room;
            }
            if (pending == 0 && (failure != null || !somethingIsLeft())) {
                over = true;
            }
        }
        if (posted) {
            queuePair.sends().posted();
        }
        if (over) {
            destination.requestCompleted();
            queuePair.completer().wholeCompleted(id, status(), validity, this);
        }
        return !over && pending == 0;
    }

    private OperationStatus status() {
        if (failure != null) {
            return failure;
        }
        return validity.isComplete() ? OperationStatus.SUCCESS : OperationStatus.PARTIAL;
    }

    /** {@return whether a part can be posted now} A pass begins only when the previous pass has ended. */
    private boolean somethingIsLeft() {
        if (validity.nextMissing(cursor) < validity.length()) {
            return true;
        }
        if (pending > 0 || roundsLeft == 0 || validity.isComplete()) {
            return false;
        }
        roundsLeft--;
        cursor = 0;
        return true;
    }

    /** As {@link #postPart}, but a failure ends the whole read, since there are parts already. */
    private boolean postFurtherPart() {
        try {
            return postPart();
        } catch (RdmaException e) {
            // The region was deregistered since the last part.
            failure = OperationStatus.LOC_PROT_ERR;
            return false;
        }
    }

    /** Posts the next part of this pass. Returns false if there is none, or if the send queue is full. */
    private boolean postPart() {
        long from = validity.nextMissing(cursor);
        if (from == validity.length()) {
            return false;
        }
        long most = Math.min(validity.length(), from + longest);
        long to = MissingReads.endOfHoles(validity, from, most, MissingReads.apart(destination.pathMtu()));
        part.clear()
                .id(id)
                .rdmaRead(remoteAddress + from, remoteKey)
                .add(localAddress + from, (int) (to - from), localKey)
                .destination(destination)
                .timeout(timeout);
        if (queuePair.sends().postPart(part, this) == null) {
            return false;
        }
        cursor = to;
        onItsWay += to - from;
        pending++;
        return true;
    }
}
