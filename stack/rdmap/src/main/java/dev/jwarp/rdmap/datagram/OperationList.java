package dev.jwarp.rdmap.datagram;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A FIFO list of operations. The link is in the operation, which is in one list at a time. Very many destinations have
 * a list, so a list has one field only: the last operation, whose link leads to the first. Owner only.
 */
final class OperationList {
    private @Nullable DatagramOperation last;

    boolean isEmpty() {
        return last == null;
    }

    @Nullable
    DatagramOperation first() {
        DatagramOperation end = last;
        return end == null ? null : end.next;
    }

    /** {@return the operation after one in the list; null after the last} */
    @Nullable
    DatagramOperation after(DatagramOperation operation) {
        return operation == last ? null : operation.next;
    }

    /** {@return whether the list has more than one operation} */
    boolean hasSeveral() {
        DatagramOperation end = last;
        return end != null && end.next != end;
    }

    void append(DatagramOperation operation) {
        DatagramOperation end = last;
        if (end == null) {
            operation.next = operation;
        } else {
            operation.next = end.next;
            end.next = operation;
        }
        last = operation;
    }

    /** {@return the first operation, removed; null if the list is empty} */
    @Nullable
    DatagramOperation poll() {
        DatagramOperation end = last;
        return end == null ? null : takeBehind(end);
    }

    /** Removes an operation, which is mostly at the front. Does nothing if the operation is not in the list. */
    void remove(DatagramOperation operation) {
        DatagramOperation before = last;
        if (before == null) {
            return;
        }
        do {
            DatagramOperation next = linked(before);
            if (next == operation) {
                takeBehind(before);
                return;
            }
            before = next;
        } while (before != last);
    }

    private DatagramOperation takeBehind(DatagramOperation before) {
        DatagramOperation taken = linked(before);
        if (taken == before) {
            last = null;
        } else {
            before.next = taken.next;
            if (taken == last) {
                last = before;
            }
        }
        taken.next = null;
        return taken;
    }

    private static DatagramOperation linked(DatagramOperation operation) {
        return Objects.requireNonNull(operation.next);
    }
}
