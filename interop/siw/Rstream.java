import dev.jwarp.sockets.JwarpSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The other end of rstream of rdma-core, as a program for java.nio: one test of its "-S SIZE -I ITERATIONS -C COUNT", whose data is verified ("-T verify"). Flags as there; "-s"
 * is the address of the server, without it this is the server, at "-b".
 */
final class Rstream {
    private static final int SYNC = 16;

    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer buffer;
    private byte sent;
    private byte came;

    private Rstream(SocketChannel channel, char way, int size) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(way == 'b');
        selector = way == 'a' ? JwarpSockets.openSelector() : null;
        if (selector != null) {
            channel.register(selector, 0);
        }
        buffer = ByteBuffer.allocateDirect(Math.max(size, SYNC));
    }

    public static void main(String[] words) throws IOException {
        String server = null;
        String local = null;
        int port = 7471;
        int size = 1000;
        int iterations = 1;
        int count = 1000;
        char way = 'n';
        for (int i = 0; i < words.length; i += 2) {
            String value = words[i + 1];
            switch (words[i]) {
                case "-s" -> server = value;
                case "-b" -> local = value;
                case "-p" -> port = Integer.parseInt(value);
                case "-S" -> size = Integer.parseInt(value);
                case "-I" -> iterations = Integer.parseInt(value);
                case "-C" -> count = Integer.parseInt(value);
                case "-T" -> way = value.charAt(0);
                default -> throw new IllegalArgumentException("no flag " + words[i]);
            }
        }
        boolean client = server != null;
        try (SocketChannel channel = client ? connected(server, port) : accepted(local, port)) {
            Rstream rstream = new Rstream(channel, way, size);
            rstream.run(client, size, iterations, count);
            channel.shutdownOutput();
            if (way == 'a') {
                rstream.awaitTheEnd();
            }
        }
        long bytes = 2L * iterations * count * size;
        System.out.println(bytes + " bytes of " + size + " each, none wrong");
    }

    private static SocketChannel connected(String server, int port) throws IOException {
        SocketChannel channel = JwarpSockets.openSocketChannel();
        channel.connect(new InetSocketAddress(server, port));
        return channel;
    }

    private static SocketChannel accepted(String local, int port) throws IOException {
        try (ServerSocketChannel listener = JwarpSockets.openServerSocketChannel()) {
            listener.bind(local == null ? new InetSocketAddress(port) : new InetSocketAddress(local, port));
            return listener.accept();
        }
    }

    private void run(boolean client, int size, int iterations, int count) throws IOException {
        List<Boolean> turns = new ArrayList<>(List.of(client, !client));
        move(turns, SYNC, 1);
        for (int i = 0; i < iterations; i++) {
            move(turns, size, count);
        }
    }

    private void move(List<Boolean> turns, int size, int count) throws IOException {
        for (boolean mine : turns) {
            for (int i = 0; i < count; i++) {
                if (mine) {
                    send(size);
                } else {
                    receive(size);
                }
            }
        }
    }

    private void send(int size) throws IOException {
        buffer.clear();
        for (int i = 0; i < size; i++) {
            buffer.put(sent++);
        }
        buffer.flip();
        while (buffer.hasRemaining()) {
            await(SelectionKey.OP_WRITE);
            channel.write(buffer);
        }
    }

    private void receive(int size) throws IOException {
        buffer.clear().limit(size);
        while (buffer.hasRemaining()) {
            await(SelectionKey.OP_READ);
            if (channel.read(buffer) < 0) {
                throw new IOException("the peer ends after " + buffer.position() + " of " + size + " bytes");
            }
        }
        buffer.flip();
        for (int i = 0; i < size; i++) {
            byte is = buffer.get();
            if (is != came++) {
                throw new IOException("byte " + i + " of " + size + " is " + is + " and not " + (byte) (came - 1));
            }
        }
    }

    /** rstream takes a disconnect that its poll finds beside data which it has not read yet for an error, as rpoll tells of both. */
    private void awaitTheEnd() throws IOException {
        int count = 0;
        while (count >= 0) {
            await(SelectionKey.OP_READ);
            count = channel.read(buffer.clear());
        }
    }

    private void await(int what) throws IOException {
        if (selector != null) {
            channel.keyFor(selector).interestOps(what);
            while (selector.selectedKeys().isEmpty()) {
                selector.select();
            }
            selector.selectedKeys().clear();
        }
    }
}
