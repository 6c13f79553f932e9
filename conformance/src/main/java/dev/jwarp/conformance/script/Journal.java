package dev.jwarp.conformance.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The events of one conversation within a budget of memory. Beyond the budget events keep their length and lose
 * their bytes, and consecutive events of one kind become one event. Not thread-safe.
 */
public final class Journal {
    /** Bytes that are kept of one conversation. */
    public static final int BUDGET = 4 << 20;

    /** What an event costs besides its bytes. */
    private static final int OVERHEAD = 64;

    private static final String NOT_KEPT = "bytes not kept";

    private final List<Event> events = new ArrayList<>();
    private final long began = System.nanoTime();
    private long left;

    /** A journal for a conversation that goes on. */
    public Journal() {
        this(BUDGET);
    }

    private Journal(long budget) {
        left = budget;
    }

    /** Records what has just happened. */
    public void record(Event.Kind kind, byte[] octets, String note) {
        add(new Event(System.nanoTime() - began, kind, octets.clone(), note));
    }

    /** Records a remark. */
    public void note(String text) {
        record(Event.Kind.NOTE, new byte[0], text);
    }

    /** When the conversation began, in nanoseconds of {@link System#nanoTime}. */
    public long began() {
        return began;
    }

    /** Milliseconds since the conversation began. */
    public long millis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    /** Records the next event. */
    public void add(Event event) {
        // Once something is missing all the rest is left out: half a stream would be taken for the whole.
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

    /** All events so far. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** The record of a conversation that has ended, with at most so many of its bytes and no other resources. */
    public static Recorded closed(Recorded conversation, long budget) {
        Journal journal = new Journal(budget);
        conversation.events().forEach(journal::add);
        return new Closed(
                conversation.local(),
                conversation.peer(),
                journal.events(),
                conversation.began(),
                conversation.datagrams());
    }

    private record Closed(
            java.net.InetSocketAddress local,
            java.net.InetSocketAddress peer,
            List<Event> events,
            long began,
            boolean datagrams)
            implements Recorded {}
}
