package dev.jwarp.sim;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One side of a simulated byte stream: the driver of one engine. */
final class SimEnd implements StreamDriver, SimStation {
    private final SimNetwork network;
    private final String name;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private @Nullable StreamEngine engine;
    private @Nullable SimStream stream;
    private boolean ready;
    private boolean blocked;
    private boolean outputFinished;
    private boolean over;

    SimEnd(SimNetwork network, String name, InetSocketAddress local, InetSocketAddress remote) {
        this.network = network;
        this.name = name;
        this.local = local;
        this.remote = remote;
    }

    /** Sets the engine, once. */
    void attach(StreamEngine driven) {
        engine = driven;
    }

    private StreamEngine engine() {
        StreamEngine driven = engine;
        if (driven == null) {
            throw new IllegalStateException(name + " has no engine yet");
        }
        return driven;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int effectiveMaximumSegmentSize() {
        SimStream current = stream;
        return (current == null ? network.link() : current.link).effectiveMaximumSegmentSize();
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        network.afterCalls().add(task);
    }

    @Override
    public void wakeup() {
        if (!ready && !over) {
            ready = true;
            network.ready(this);
        }
    }

    @Override
    public void execute(Runnable task) {
        task.run();
        wakeup();
    }

    /** Whether the engine has ended. */
    boolean over() {
        return over;
    }

    /** Whether this side has closed that stream, because it ended or uses another stream. */
    boolean left(SimStream from) {
        return over || stream != from;
    }

    /** Ends this side without informing its engine, because the stream was never established. */
    void dismiss() {
        over = true;
        network.gone(this);
    }

    @Override
    public long nextTimeout() {
        return over || engine == null ? Long.MAX_VALUE : engine().nextTimeout();
    }

    @Override
    public void timeout() {
        network.trace(Event.TIMEOUT, this, 0, 0);
        engine().onTimeout(network.now());
        wakeup();
    }

    void connected(SimStream established) {
        if (over) {
            established.resetBy(this);
            return;
        }
        stream = established;
        outputFinished = false;
        blocked = false;
        network.trace(Event.CONNECTED, this, 0, 0);
        engine().onConnected(network.now());
        wakeup();
    }

    void connectFailed(LlpFailure failure, String sentence) {
        if (!over) {
            network.trace(Event.CONNECT_FAILED, this, 0, 0);
            engine().onConnectFailed(failure, sentence, network.now());
            dismiss();
        }
    }

    void received(byte[] segment) {
        network.trace(Event.RECEIVED, this, segment.length, SimNetwork.digest(segment));
        ByteBuffer in = network.receiveBuffer(segment);
        engine().receive(in, network.now());
        if (in.hasRemaining()) {
            throw new IllegalStateException(
                    "The engine of " + name + " left " + in.remaining() + " of " + segment.length + " bytes unread");
        }
        network.spoilReceiveBuffer();
        wakeup();
    }

    void inputClosed(SimStream by) {
        if (!left(by)) {
            network.trace(Event.INPUT_CLOSED, this, 0, 0);
            engine().onInputClosed(network.now());
            wakeup();
        }
    }

    void broken(SimStream by) {
        if (!left(by)) {
            network.trace(Event.BROKEN, this, 0, 0);
            engine().onBroken(network.now());
            if (engine().ending() == StreamEngine.Ending.RECONNECT) {
                outputFinished = true; // a broken stream accepts nothing
                reconnect(stream);
            } else {
                dismiss();
            }
        }
    }

    void timedOut(SimStream by) {
        if (!left(by)) {
            network.trace(Event.TIMED_OUT, this, 0, 0);
            engine().onTimedOut(network.now());
            dismiss();
        }
    }

    void roomAgain() {
        if (blocked) {
            blocked = false;
            wakeup();
        }
    }

    /** Checks the engine once: writes once, or ends the stream. */
    @Override
    public void pump() {
        ready = false;
        if (over) {
            return;
        }
        StreamEngine driven = engine();
        SimStream current = stream;
        if (driven.ending() == StreamEngine.Ending.ABORT) {
            abort(current);
        } else if (current != null && !outputFinished && driven.prepareOutput(network.now())) {
            write(driven, current.outputOf(this));
        } else {
            end(driven.ending(), current);
        }
    }

    private void write(StreamEngine driven, SimPipe pipe) {
        ByteBuffer[] buffers = driven.output();
        long written = 0;
        for (int i = 0; i < driven.outputCount() && !blocked; i++) {
            written += pipe.write(buffers[i]);
            blocked = buffers[i].hasRemaining();
        }
        if (written == 0 && !blocked) {
            throw new IllegalStateException("The engine of " + name + " announced output and has none");
        }
        if (written > 0) {
            network.trace(Event.WRITTEN, this, written, 0);
            boolean more = driven.onWritten(written, network.now());
            if (!more) {
                end(driven.ending(), stream);
            } else if (!blocked) {
                wakeup();
            }
        }
    }

    private void end(StreamEngine.Ending ending, @Nullable SimStream current) {
        switch (ending) {
            case OPEN -> {}
            case SHUT_DOWN_OUTPUT -> finish(current);
            case CLOSE -> {
                finish(current);
                network.trace(ending, this, 0, 0);
                dismiss();
            }
            case ABORT -> abort(current);
            case RECONNECT -> reconnect(current);
        }
    }

    private void finish(@Nullable SimStream current) {
        if (current != null && !outputFinished) {
            network.trace(StreamEngine.Ending.SHUT_DOWN_OUTPUT, this, 0, 0);
            outputFinished = true;
            current.outputOf(this).finish();
        }
    }

    private void reconnect(@Nullable SimStream current) {
        if (current != null) {
            finish(current);
            network.trace(StreamEngine.Ending.RECONNECT, this, 0, 0);
            stream = null;
            network.connect(this);
        }
    }

    private void abort(@Nullable SimStream current) {
        network.trace(StreamEngine.Ending.ABORT, this, 0, 0);
        if (current != null) {
            current.resetBy(this);
        }
        dismiss();
    }

    /** Aborts from outside: the transport is closed. */
    void close() {
        if (!over) {
            engine().connection().abort();
            pump();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Events of a side, for the trace. */
    private enum Event {
        CONNECTED,
        CONNECT_FAILED,
        RECEIVED,
        WRITTEN,
        INPUT_CLOSED,
        BROKEN,
        TIMED_OUT,
        TIMEOUT
    }
}
