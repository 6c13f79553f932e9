package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamWatcher;

/** Links a channel to its loop: it is told what the channel can do, and asks the loop to act when the channel waits for that. The loop's thread. */
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

    /** {@return what the channel waits for, in the bits that it is told} */
    abstract int wants();

    /** It can do some of what it waits for. */
    abstract void act();

    @Override
    public void set(int ready) {
        assert loop.loop().inEventLoop();
        bits = ready;
        look();
    }

    /** {@return what it waits for and can do} */
    int can() {
        return bits & wants();
    }

    /** Something more is wanted: if it is there already, it is done soon. */
    void look() {
        if (can() != 0) {
            ask();
        }
    }

    /** {@link #act} comes soon. */
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
