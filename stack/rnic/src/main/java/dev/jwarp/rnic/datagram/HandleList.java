package dev.jwarp.rnic.datagram;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Address handles in the order in which they were made. The links stand in the handles: a program may have a handle for each of
 * very many peers, and an entry of a map would take as much as half of one. Any thread.
 */
public final class HandleList {
    private @Nullable RnicAddressHandle first;
    private @Nullable RnicAddressHandle last;
    private int size;

    public synchronized int size() {
        return size;
    }

    /** {@return all that are there now} */
    public synchronized List<RnicAddressHandle> copy() {
        List<RnicAddressHandle> all = new ArrayList<>(size);
        for (RnicAddressHandle handle = first; handle != null; handle = handle.next) {
            all.add(handle);
        }
        return all;
    }

    synchronized void add(RnicAddressHandle handle) {
        handle.previous = last;
        if (last == null) {
            first = handle;
        } else {
            last.next = handle;
        }
        last = handle;
        size++;
    }

    /** {@return whether it was there} */
    synchronized boolean remove(RnicAddressHandle handle) {
        RnicAddressHandle before = handle.previous;
        RnicAddressHandle after = handle.next;
        if (before == null && first != handle) {
            return false;
        }
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        handle.previous = null;
        handle.next = null;
        size--;
        return true;
    }
}
