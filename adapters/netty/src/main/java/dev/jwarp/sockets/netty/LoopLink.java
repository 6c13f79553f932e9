package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamWatcher;

/**
 * Links a channel to its loop: gets the events of the channel's stream, and asks the loop to act if the channel waits
 * for them. The loop's thread.
 */
abstract class LoopLink implements StreamWatcher, JwarpIoHandler.ReadyStream {
    private final JwarpIoHandler loop;
    private int bits;
    private boolean asked;

    LoopLink(JwarpIoHandler loop) {
        this.loop = loop;
    }

    final LoopHome home() {
        return loop.home();
    }

    /** {@return the events that the channel waits for, as bits} */
    abstract int wants();

    /** An event has come that the channel waits for. */
    abstract void act();

    @Override
    public void set(int ready) {
        assert loop.loop().inEventLoop();
        bits = ready;
        look();
    }

    /** {@return the events that have come and that the channel waits for} */
    int can() {
        return bits & wants();
    }

    /** The channel waits for a further event: if it can act already, it will soon. */
    void look() {
        if (can() != 0) {
            ask();
        }
    }

    /** Schedules {@link #act}. */
    final void ask() {
        if (!asked) {
            asked = true;
            loop.ask(this);
        }
    }

    @Override
    public void ready() {
        asked = false;
        act();
    }
}
