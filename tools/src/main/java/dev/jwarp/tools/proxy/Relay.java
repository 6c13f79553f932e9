package dev.jwarp.tools.proxy;

import dev.jwarp.base.Share;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Deque;

/** A connection that came, and the one that it goes on by. */
final class Relay {
    private final SocketChannel near;
    private final SocketChannel far;
    private final SelectionKey nearKey;
    private final SelectionKey farKey;
    private final Way there;
    private final Way back;
    final Share place;

    /** Both do not block; {@code far} connects, or is connected. */
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

    /** Gives its memory back; nothing else is called afterwards. */
    void giveBack(Deque<ByteBuffer> rooms) {
        rooms.push(there.room());
        rooms.push(back.room());
    }

    /** A channel of it can do something. Returns whether all is over. */
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

    /** {@return whether its other side is still being connected to} */
    boolean connects() {
        return !far.isConnected();
    }

    private static int ops(Way out, Way in) {
        return (out.wantsToRead() ? SelectionKey.OP_READ : 0) | (in.wantsToWrite() ? SelectionKey.OP_WRITE : 0);
    }

    /** Ends both in good order. */
    void close() throws IOException {
        near.close();
        far.close();
    }

    /** Ends both so that who is at either end sees that something was wrong. */
    void abort() {
        for (SocketChannel channel : new SocketChannel[] {near, far}) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // It is closed already, or was never connected.
            }
            try {
                channel.close();
            } catch (IOException e) {
                // It is as closed as it can be.
            }
        }
    }

    long bytesThere() {
        return there.moved();
    }

    long bytesBack() {
        return back.moved();
    }

    /** {@return who has connected, for people} */
    String who() {
        try {
            return String.valueOf(near.getRemoteAddress());
        } catch (IOException e) {
            return "a client that is gone";
        }
    }
}
