package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The head of the posted receives: can be peeked at before it is taken, and takes back the receive of an incomplete
 * message (datagram-iWARP §7). Owner thread only; allocates while it grows.
 */
final class ReceiveHead {
    private final ReceiveSource source;
    private final DatagramListener listener;

    /** Receives at the head, before those of the source. */
    private final ArrayDeque<ReceiveOperation> back = new ArrayDeque<>();

    private final DatagramReceipt receipt = new DatagramReceipt();

    ReceiveHead(ReceiveSource source, DatagramListener listener) {
        this.source = source;
        this.listener = listener;
    }

    /** {@return the receive at the head, or null if none is posted} Fails receives whose memory is deregistered. */
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

    /** Takes the receive that {@link #peek} returned. */
    ReceiveOperation take() {
        return back.pop();
    }

    /** Puts a receive back as the head; on a shared source, as the head for all users. */
    void putBack(ReceiveOperation receive) {
        if (source.shared()) {
            source.putBack(receive);
        } else {
            back.push(receive);
        }
    }

    /** Puts a peeked receive of a shared source back at the end of the call, so that others can take it. */
    void letGo() {
        if (!back.isEmpty() && source.shared()) {
            source.putBack(back.pop());
        }
    }

    /** {@return the counter of the missing resource when {@link #peek} returns null} */
    DatagramCounter missing() {
        return source.completionsFull() ? DatagramCounter.NO_CQ_PLACE : DatagramCounter.NO_RECV_WR;
    }

    /** {@return the receipt, to be set before {@link #complete}} */
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

    /** Fails all receives whose memory is deregistered, except those in a shared source. */
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

    /** Flushes all receives, except those in a shared source. */
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
