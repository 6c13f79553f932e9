package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.Nullable;

/** Operations in order, first in, first out. The link stands in the operation, which is in one list at a time. Owner only. */
final class OperationList {
    private @Nullable DatagramOperation first;
    private @Nullable DatagramOperation last;

    boolean isEmpty() {
        return first == null;
    }

    @Nullable
    DatagramOperation first() {
        return first;
    }

    void append(DatagramOperation operation) {
        operation.next = null;
        DatagramOperation end = last;
        if (end == null) {
            first = operation;
        } else {
            end.next = operation;
        }
        last = operation;
    }

    /** {@return the first one, taken out, or null} */
    @Nullable
    DatagramOperation poll() {
        DatagramOperation head = first;
        if (head != null) {
            first = head.next;
            if (first == null) {
                last = null;
            }
            head.next = null;
        }
        return head;
    }

    /** Takes an operation out, wherever it stands: mostly at the front. Does nothing if it is not there. */
    void remove(DatagramOperation operation) {
        DatagramOperation before = null;
        for (DatagramOperation op = first; op != null; op = op.next) {
            if (op == operation) {
                if (before == null) {
                    first = op.next;
                } else {
                    before.next = op.next;
                }
                if (last == op) {
                    last = before;
                }
                op.next = null;
                return;
            }
            before = op;
        }
    }
}
