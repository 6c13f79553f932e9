package example;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.Callable;

/** Sends each line of a client to all clients. One thread serves them, and no slow client can block it. */
final class ChatServer implements Callable<Void> {
    private static final int MOST_WAITING = 10_000; // lines

    private static final class Member {
        final ByteBuffer input = ByteBuffer.allocate(4096); // limits the length of a line
        final Queue<ByteBuffer> waiting = new ArrayDeque<>();
    }

    final ServerSocketChannel listener = ServerSocketChannel.open();
    private final Selector selector = Selector.open();
    private final List<SelectionKey> members = new ArrayList<>();

    ChatServer(InetSocketAddress address) throws IOException {
        listener.bind(address).configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Serves until it is interrupted. */
    @Override
    public Void call() throws IOException {
        try (selector;
                listener) {
            while (!Thread.interrupted()) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isAcceptable()) {
                        join(listener.accept());
                    } else if (!serve(key, (Member) key.attachment())) {
                        members.remove(key);
                        key.channel().close();
                    }
                }
                selector.selectedKeys().clear();
            }
        }
        return null;
    }

    private void join(SocketChannel channel) throws IOException {
        if (channel != null) {
            channel.configureBlocking(false);
            members.add(channel.register(selector, SelectionKey.OP_READ, new Member()));
            sendAll(("* members: " + members.size() + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void sendAll(byte[] line) {
        for (SelectionKey key : members) {
            Queue<ByteBuffer> waiting = ((Member) key.attachment()).waiting;
            if (waiting.size() < MOST_WAITING) { // a client that does not read misses lines
                waiting.add(ByteBuffer.wrap(line));
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        }
    }

    /** {@return whether the client is still connected} */
    private boolean serve(SelectionKey key, Member member) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            while (!member.waiting.isEmpty()) {
                channel.write(member.waiting.peek());
                if (member.waiting.peek().hasRemaining()) {
                    break; // the selector reports when the socket is writable again
                }
                member.waiting.remove();
            }
            key.interestOps(SelectionKey.OP_READ | (member.waiting.isEmpty() ? 0 : SelectionKey.OP_WRITE));
            return !key.isReadable() || read(channel, member.input);
        } catch (IOException e) {
            return false;
        }
    }

    /** {@return whether more lines can come: not after the end, nor after a line that is too long} */
    private boolean read(SocketChannel channel, ByteBuffer input) throws IOException {
        boolean ended = channel.read(input) < 0;
        int begin = 0;
        for (int at = 0; at < input.position(); at++) {
            if (input.get(at) == '\n') {
                byte[] line = new byte[at + 1 - begin];
                input.get(begin, line);
                sendAll(line);
                begin = at + 1;
            }
        }
        input.flip().position(begin).compact();
        return !ended && input.hasRemaining();
    }
}
