package dev.jwarp.tools.copy;

import dev.jwarp.tools.cli.Interruption;

/** Ends the connection of a sender when its peer is waited for too long, or the run is to end: the thread that copies may be in a call that waits. */
final class CopyWatch implements AutoCloseable {
    private static final long LOOK_NANOS = 100_000_000;

    private final CopyTalk talk;
    private final Interruption interruption;
    private volatile boolean ended;

    CopyWatch(CopyTalk talk, Interruption interruption) {
        this.talk = talk;
        this.interruption = interruption;
    }

    /** Watches, in a thread of its own. */
    void begin() {
        Thread thread = new Thread(this::watch, "jwarp cp watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!ended && !interruption.requested()) {
            interruption.pause(LOOK_NANOS);
            talk.endIfLate();
        }
        talk.end();
    }

    /** Watches no more. */
    @Override
    public void close() {
        ended = true;
    }
}
