package dev.jwarp.rdmap.datagram;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Operations in order, first in, first out. The link is in the operation, which is in one list at a time. There is a list
 * for each of very many destinations, so a list has one field: the last operation, whose link leads to the first. Owner
 * only.
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

    /** {@return the one behind it, of one that is in the list; null if it is the last} */
    @Nullable
    DatagramOperation after(DatagramOperation operation) {
        return operation == last ? null : operation.next;
    }

    /** {@return whether there is more than one} */
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

    /** {@return the first one, taken out, or null} */
    @Nullable
    DatagramOperation poll() {
        DatagramOperation end = last;
        return end == null ? null : takeBehind(end);
    }

    /** Takes an operation out, wherever it stands: mostly at the front. Does nothing if it is not there. */
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
