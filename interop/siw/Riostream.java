import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.SharedMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The other end of riostream of rdma-core, as a program for java.nio: one test of its "-S SIZE -I ITERATIONS -C COUNT". Each end writes into memory of the other, whose
 * last byte says that it is there. Flags as there; "-s" is the address of the server, without it this is the server, at "-b". What comes is verified if the other end has
 * "-T verify".
 */
final class Riostream {
    private static final int SYNC = 16;

    private final SocketChannel channel;
    private final int size;
    private final ByteBuffer memory;
    private final ByteBuffer data;
    private byte next;
    private byte due;
    private byte marker;

    private Riostream(SocketChannel channel, int size) throws IOException {
        this.channel = channel;
        this.size = size;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        memory = ByteBuffer.allocateDirect(size).put(size - 1, (byte) -1);
        data = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] words) throws IOException {
        String server = null;
        String local = null;
        int port = 7471;
        int size = 1000;
        int iterations = 1;
        int count = 1000;
        for (int i = 0; i < words.length; i += 2) {
            String value = words[i + 1];
            switch (words[i]) {
                case "-s" -> server = value;
                case "-b" -> local = value;
                case "-p" -> port = Integer.parseInt(value);
                case "-S" -> size = Integer.parseInt(value);
                case "-I" -> iterations = Integer.parseInt(value);
                case "-C" -> count = Integer.parseInt(value);
                default -> throw new IllegalArgumentException("no flag " + words[i]);
            }
        }
        boolean client = server != null;
        try (SocketChannel channel = client ? connected(server, port) : accepted(local, port)) {
            new Riostream(channel, size).run(client, iterations, count);
            channel.shutdownOutput();
        }
        System.out.println(2L * iterations * count * size + " bytes of " + size + " each, none wrong");
    }

    private static SocketChannel connected(String server, int port) throws IOException {
        SocketChannel channel = JwarpSockets.openSocketChannel();
        channel.setOption(JwarpSocketOptions.MAP_SIZE, 1);
        channel.connect(new InetSocketAddress(server, port));
        return channel;
    }

    private static SocketChannel accepted(String local, int port) throws IOException {
        try (ServerSocketChannel listener = JwarpSockets.openServerSocketChannel()) {
            listener.setOption(JwarpSocketOptions.MAP_SIZE, 1);
            listener.bind(local == null ? new InetSocketAddress(port) : new InetSocketAddress(local, port));
            return listener.accept();
        }
    }

    private void run(boolean client, int iterations, int count) throws IOException {
        try (SharedMemory shared = JwarpSockets.share(channel, memory, 0)) {
            move(client);
            move(!client);
            for (int i = 0; i < iterations; i++) {
                if (client) {
                    send(count);
                    await();
                } else {
                    await();
                    send(count);
                }
            }
        }
    }

    /** 16 bytes of the stream: what the peer was told before, it knows then. */
    private void move(boolean mine) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SYNC);
        while (bytes.hasRemaining()) {
            if ((mine ? channel.write(bytes) : channel.read(bytes)) < 0) {
                throw new IOException("the peer ends before both are ready");
            }
        }
    }

    private void send(int count) throws IOException {
        for (int i = 1; i < count; i++) {
            data.put(size - 1, (byte) (marker - 1)); // not what the peer waits for
            JwarpSockets.write(channel, 0, data.clear());
        }
        for (int i = 0; i < size - 1; i++) {
            data.put(i, next++);
        }
        data.put(size - 1, marker++);
        JwarpSockets.write(channel, 0, data.clear());
    }

    private void await() throws IOException {
        while (memory.get(size - 1) != marker) {
            Thread.onSpinWait(); // a thread of jwarp's moves the bytes
            if (!channel.isOpen()) {
                throw new IOException("the channel is closed");
            }
        }
        marker++;
        for (int i = 0; i < size - 1; i++) {
            byte is = memory.get(i);
            if (is != due++) {
                throw new IOException("byte " + i + " of " + size + " is " + is + " and not " + (byte) (due - 1));
            }
        }
    }
}
