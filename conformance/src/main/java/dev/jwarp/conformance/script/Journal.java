package dev.jwarp.conformance.script;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The events of one conversation within a limit of memory. Beyond the limit events keep their length but not their
 * bytes, and consecutive events of one kind become one event. Not thread-safe.
 */
public class Journal implements Transcript {
    /** Limit of the kept bytes of one conversation. */
    public static final int BUDGET = 4 << 20;

    /** Memory of an event besides its bytes. */
    private static final int OVERHEAD = 64;

    private static final String NOT_KEPT = "bytes not kept";

    private final List<Event> events = new ArrayList<>();
    private final InetSocketAddress local;
    private final InetSocketAddress peer;
    private final boolean datagrams;
    private final long began;
    private long left;

    /** A journal for a conversation that begins now. */
    public Journal(InetSocketAddress local, InetSocketAddress peer, boolean datagrams) {
        this(local, peer, datagrams, System.nanoTime(), BUDGET);
    }

    private Journal(InetSocketAddress local, InetSocketAddress peer, boolean datagrams, long began, long budget) {
        this.local = local;
        this.peer = peer;
        this.datagrams = datagrams;
        this.began = began;
        left = budget;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public boolean datagrams() {
        return datagrams;
    }

    /** Records an event that has just happened. */
    public void record(Event.Kind kind, byte[] octets, String note) {
        add(new Event(System.nanoTime() - began, kind, octets.clone(), note));
    }

    /** Records a remark. */
    public void note(String text) {
        record(Event.Kind.NOTE, new byte[0], text);
    }

    @Override
    public long began() {
        return began;
    }

    /** Milliseconds since the conversation began. */
    public long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    /** Records the next event. */
    public void add(Event event) {
        // After the first omission all further bytes are left out: otherwise a part of the stream would look like the
        // whole.
        left = left < 0 ? left : left - event.octets().length - OVERHEAD;
        if (left >= 0 || event.length() == 0) {
            events.add(event);
            return;
        }
        Event before = events.isEmpty() ? null : events.get(events.size() - 1);
        if (before != null && before.kind() == event.kind() && !before.kept()) {
            events.set(events.size() - 1, bare(before, before.length() + event.length(), NOT_KEPT));
        } else {
            String note = event.note().isEmpty() ? NOT_KEPT : event.note() + "; " + NOT_KEPT;
            events.add(event.kept() ? bare(event, event.length(), note) : event);
        }
    }

    private static Event bare(Event event, long length, String note) {
        return new Event(event.nanos(), event.kind(), new byte[0], length, note);
    }

    @Override
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** A copy of the record of an ended conversation, with at most so many bytes and no other resources. */
    public static Transcript closed(Transcript conversation, long budget) {
        Journal closed = new Journal(
                conversation.local(), conversation.peer(), conversation.datagrams(), conversation.began(), budget);
        conversation.events().forEach(closed::add);
        return closed;
    }
}
