package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * To whom operations go: what stands behind an address handle. Holds the queue of this peer's work, as links in the
 * operations, so a silent peer costs nothing more. One endpoint uses it; owner thread only, once an operation names it.
 */
public final class DatagramDestination extends Turn {
    private final DatagramPeer peer;

    // Work not yet begun or being sent, in the order it was posted.
    private @Nullable DatagramOperation head;
    private @Nullable DatagramOperation tail;

    /** Requests to be sent once more because the peer wanted to see a cookie. */
    private @Nullable DatagramOperation again;

    private @Nullable Object note;

    /** Operations of it that are not complete. */
    int pending;

    /** Reads of it that are not answered. */
    int readsOutstanding;

    /** Creates one for a peer; a group if the peer's queue pair is {@link Shim#GROUP_QPN}. */
    public DatagramDestination(DatagramPeer peer) {
        this.peer = peer;
    }

    /** {@return where it is} */
    public DatagramPeer peer() {
        return peer;
    }

    /** {@return what the device above has noted, such as its address handle; or null} */
    public @Nullable Object note() {
        return note;
    }

    /** Has the device above note something, before the first operation names it. */
    public void note(@Nullable Object what) {
        note = what;
    }

    /** {@return whether it is a group} */
    public boolean group() {
        return peer.queuePairNumber() == Shim.GROUP_QPN;
    }

    @Override
    DatagramPeer turnOf() {
        return peer;
    }

    /** {@return the operation that is, or is next to be, sent} */
    @Nullable
    DatagramOperation head() {
        return head;
    }

    /** {@return whether more is queued behind the head} */
    boolean more() {
        return head != tail;
    }

    void append(DatagramOperation operation) {
        operation.next = null;
        DatagramOperation last = tail;
        if (last == null) {
            head = operation;
        } else {
            last.next = operation;
        }
        tail = operation;
    }

    /** {@return the head, which is taken out} */
    @Nullable
    DatagramOperation poll() {
        DatagramOperation first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
        }
        return first;
    }

    /** Takes an operation out, wherever it stands; does nothing if it is not queued. */
    void remove(DatagramOperation operation) {
        DatagramOperation before = null;
        for (DatagramOperation op = head; op != null; op = op.next) {
            if (op == operation) {
                if (before == null) {
                    poll();
                } else {
                    before.next = op.next;
                    if (tail == op) {
                        tail = before;
                    }
                    op.next = null;
                }
                return;
            }
            before = op;
        }
    }

    /** Queues a request to be sent once more. */
    void again(DatagramOperation operation) {
        operation.next = again;
        again = operation;
    }

    /** {@return a request to be sent once more, or null} */
    @Nullable
    DatagramOperation again() {
        return again;
    }

    /** Takes a request out of those to be sent once more. */
    void removeAgain(DatagramOperation operation) {
        DatagramOperation before = null;
        for (DatagramOperation op = again; op != null; op = op.next) {
            if (op == operation) {
                if (before == null) {
                    again = op.next;
                } else {
                    before.next = op.next;
                }
                op.next = null;
                return;
            }
            before = op;
        }
    }

    @Override
    boolean hasWork() {
        return head != null || again != null;
    }

    @Override
    public String toString() {
        return peer.toString();
    }
}
