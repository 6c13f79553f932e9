package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The head of the posted receives. It can be looked at before it is taken, and a receive whose message stays incomplete
 * comes back to it (datagram-iWARP §7). Owner thread only; allocates while it grows.
 */
final class ReceiveHead {
    private final ReceiveSource source;
    private final DatagramListener listener;

    /** At the head, before those of the source. */
    private final ArrayDeque<ReceiveOperation> back = new ArrayDeque<>();

    private final DatagramReceipt receipt = new DatagramReceipt();

    ReceiveHead(ReceiveSource source, DatagramListener listener) {
        this.source = source;
        this.listener = listener;
    }

    /** {@return the receive at the head, or null if none is posted} Those whose memory is gone end on the way. */
    @Nullable
    ReceiveOperation peek() {
        ReceiveOperation receive = back.peek();
        while (true) {
            if (receive == null) {
                receive = source.take();
                if (receive == null) {
                    return null;
                }
                back.push(receive);
            }
            if (receive.memory().valid()) {
                return receive;
            }
            back.pop();
            fail(receive, OperationStatus.LOC_PROT_ERR);
            receive = back.peek();
        }
    }

    /** Takes the receive that {@link #peek} has shown. */
    ReceiveOperation take() {
        return back.pop();
    }

    /** It is the head again; where others take from the source too, theirs as well. */
    void putBack(ReceiveOperation receive) {
        if (source.shared()) {
            source.putBack(receive);
        } else {
            back.push(receive);
        }
    }

    /** Whoever looks at a head that others may take, too, lets go of it when the call is over. */
    void letGo() {
        if (!back.isEmpty() && source.shared()) {
            source.putBack(back.pop());
        }
    }

    /** {@return what is missing where {@link #peek} shows nothing} */
    DatagramCounter missing() {
        return source.completionsFull() ? DatagramCounter.NO_CQ_PLACE : DatagramCounter.NO_RECV_WR;
    }

    /** {@return what is told of a receive; fill it in, then {@link #complete}} */
    DatagramReceipt receipt() {
        return receipt;
    }

    void complete(ReceiveOperation receive, OperationStatus status) {
        listener.receiveCompleted(receive, status, receipt);
        receive.memory().clear();
        source.release(receive);
    }

    void fail(ReceiveOperation receive, OperationStatus status) {
        receipt.clear();
        complete(receive, status);
    }

    /** Those whose memory is gone end, wherever they stand; what others may take stays with them. */
    void failWithoutMemory() {
        ReceiveOperation receive;
        while (!source.shared() && (receive = source.take()) != null) {
            back.add(receive);
        }
        for (int left = back.size(); left > 0; left--) {
            receive = back.remove();
            if (receive.memory().valid()) {
                back.add(receive);
            } else {
                fail(receive, OperationStatus.LOC_PROT_ERR);
            }
        }
    }

    /** Everything comes back; what others may take stays with them. */
    void flush() {
        ReceiveOperation receive = back.poll();
        while (receive != null) {
            fail(receive, OperationStatus.WR_FLUSH_ERR);
            receive = back.poll();
        }
        while (!source.shared() && (receive = source.take()) != null) {
            fail(receive, OperationStatus.WR_FLUSH_ERR);
        }
    }
}
