package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.net.TransportContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;

/** What the connections of one event loop share: engines with their pools, the buffer to read into. Event loop only. */
final class NettyLoop {
    private final EventLoop eventLoop;
    private final Rounds rounds;
    private final TransportContext context;
    private final StreamEngineFactory engines;
    private final ByteBuf ring;
    private final ByteBuffer ringView;
    private final AfterCalls afterCalls = new AfterCalls();
    private final Runnable runAfterCalls = this::runAfterCalls;
    private final Set<NettyStream> streams = new HashSet<>();
    private boolean closed;

    /** Any thread. */
    NettyLoop(EventLoop eventLoop, TransportContext context) {
        this.eventLoop = eventLoop;
        rounds = new Rounds(eventLoop instanceof GivenLoop given ? given.loop() : eventLoop);
        this.context = context;
        // Everything is copied: one buffer goes through Netty's outbound buffer without an allocation, several do not.
        engines = context.newEngines((int) context.settings().number(TcpSetting.BATCH));
        ByteBuffer memory = ByteBuffer.allocateDirect((int) context.settings().number(TcpSetting.RING));
        ring = Unpooled.wrappedBuffer(memory);
        ringView = memory.duplicate();
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    Rounds rounds() {
        return rounds;
    }

    TransportContext context() {
        return context;
    }

    StreamEngineFactory engines() {
        return engines;
    }

    /** {@return what is to be done when the event loop is out of an engine's call} */
    AfterCalls afterCalls() {
        return afterCalls;
    }

    /** Has it done behind what the event loop does just now. */
    void later(Runnable task) {
        afterCalls.add(task);
        runAfterCallsLater(); // no engine may be in a call
    }

    /** The same, of another thread. */
    void laterHere(Runnable task) {
        eventLoop.execute(() -> later(task));
    }

    /** Has what there is, if anything, done behind other tasks of the event loop. */
    void runAfterCallsLater() {
        if (!afterCalls.isEmpty()) {
            rounds.execute(runAfterCalls);
        }
    }

    private void runAfterCalls() {
        afterCalls.run();
        runAfterCallsLater();
    }

    /** {@return what has a channel read into the buffer of this loop, as much as its engine wants} */
    RingAllocator ringAllocator(StreamEngine engine) {
        return new RingAllocator(ring, engine);
    }

    /** {@return the octets of a buffer that a channel of this loop has read into} */
    @SuppressWarnings("ReferenceEquality") // equal octets would not do
    ByteBuffer octetsOf(ByteBuf read) {
        if (read != ring) {
            throw new IllegalStateException("a channel read into a buffer that is not its loop's");
        }
        return ringView.limit(read.writerIndex()).position(read.readerIndex());
    }

    void add(NettyStream stream) {
        streams.add(stream);
        if (closed) {
            stream.abort();
        }
    }

    void remove(NettyStream stream) {
        streams.remove(stream);
    }

    /** Aborts every connection; those that come from now on are aborted at once. */
    void close() {
        closed = true;
        new ArrayList<>(streams).forEach(NettyStream::abort);
    }

    /** The last task of the event loop. */
    void release() {
        ring.release();
    }
}
