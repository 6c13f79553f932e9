package dev.jwarp.tools.proxy;

import dev.jwarp.base.Share;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Deque;

/** An accepted connection, and the connection to which it is forwarded. */
final class Relay {
    private final SocketChannel near;
    private final SocketChannel far;
    private final SelectionKey nearKey;
    private final SelectionKey farKey;
    private final Way there;
    private final Way back;
    final Share place;

    /** Both channels are non-blocking; {@code far} is connecting or connected. */
    Relay(SocketChannel near, SocketChannel far, Selector selector, Deque<ByteBuffer> rooms, Share place)
            throws IOException {
        this.place = place;
        this.near = near;
        this.far = far;
        there = new Way(near, far, room(rooms));
        back = new Way(far, near, room(rooms));
        near.configureBlocking(false);
        nearKey = near.register(selector, 0, this);
        farKey = far.register(selector, SelectionKey.OP_CONNECT, this);
    }

    private static ByteBuffer room(Deque<ByteBuffer> rooms) {
        ByteBuffer spare = rooms.poll();
        return spare == null ? ByteBuffer.allocateDirect(Way.ROOM) : spare;
    }

    /** Returns the buffers to the pool. Nothing else may be called afterwards. */
    void giveBack(Deque<ByteBuffer> rooms) {
        rooms.push(there.room());
        rooms.push(back.room());
    }

    /**
     * Moves data after a channel has become ready.
     *
     * @return whether both directions have ended
     */
    boolean move() throws IOException {
        if (!far.isConnected() && !far.finishConnect()) {
            return false;
        }
        there.move();
        back.move();
        nearKey.interestOps(ops(there, back));
        farKey.interestOps(ops(back, there));
        return there.done() && back.done();
    }

    /** {@return whether the connection to the other side is not established yet} */
    boolean connects() {
        return !far.isConnected();
    }

    private static int ops(Way out, Way in) {
        return (out.wantsToRead() ? SelectionKey.OP_READ : 0) | (in.wantsToWrite() ? SelectionKey.OP_WRITE : 0);
    }

    /** Closes both connections in order. */
    void close() throws IOException {
        near.close();
        far.close();
    }

    /** Resets both connections, so that both ends notice a failure. */
    void abort() {
        for (SocketChannel channel : new SocketChannel[] {near, far}) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // The channel is closed already, or was never connected.
            }
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing else can be done.
            }
        }
    }

    long bytesThere() {
        return there.moved();
    }

    long bytesBack() {
        return back.moved();
    }

    /** {@return the client's address, for the user} */
    String who() {
        try {
            return String.valueOf(near.getRemoteAddress());
        } catch (IOException e) {
            return "a client that has left";
        }
    }
}
