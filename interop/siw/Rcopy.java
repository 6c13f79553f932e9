import dev.jwarp.sockets.JwarpSockets;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The other end of librdmacm's rcopy: "Rcopy send ADDRESS PORT FILE NAME" copies a file there under that name; "Rcopy take ADDRESS PORT FILE" listens, and puts the first file that is copied here,
 * whatever its name, into that one.
 *
 * <p>Its messages have version, command, length (16 bits), a number (32 bits) and an id (64 bits), little-endian, and behind that a name or a size.
 */
final class Rcopy {
    private static final int OPEN = 1;
    private static final int CLOSE = 2;
    private static final int WRITE = 3;
    private static final int RESPONSE = 0x80;
    private static final int HEADER = 16;
    private static final int MODE = 0100644;

    private final SocketChannel channel;

    private Rcopy(SocketChannel channel) {
        this.channel = channel;
    }

    public static void main(String[] words) throws IOException {
        InetSocketAddress address = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
        Path file = Path.of(words[3]);
        if (words[0].equals("send")) {
            try (SocketChannel channel = JwarpSockets.openSocketChannel()) {
                channel.connect(address);
                new Rcopy(channel).send(file, words[4]);
            }
        } else {
            try (ServerSocketChannel listener = JwarpSockets.openServerSocketChannel()) {
                listener.bind(address);
                try (SocketChannel channel = listener.accept()) {
                    new Rcopy(channel).take(file);
                }
            }
        }
    }

    private void send(Path file, String name) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        byte[] path = name.getBytes(StandardCharsets.US_ASCII);
        int padded = (path.length + 8) & ~7; // a zero behind it
        write(message(OPEN, MODE, padded).put(HEADER, path));
        answer(OPEN);
        write(message(WRITE, 0, Long.BYTES).putLong(HEADER, bytes.length));
        write(ByteBuffer.wrap(bytes));
        answer(WRITE);
        write(message(CLOSE, 0, 0));
        answer(CLOSE);
    }

    private void take(Path file) throws IOException {
        byte[] bytes = {};
        while (true) {
            ByteBuffer head = read(HEADER);
            int command = head.get(1);
            ByteBuffer rest = read(Short.toUnsignedInt(head.getShort(2)) - HEADER);
            if (command == WRITE) {
                bytes = read(Math.toIntExact(rest.getLong(0))).array();
            } else if (command != OPEN && command != CLOSE) {
                throw new ProtocolException("rcopy has no command " + command);
            }
            write(message(command | RESPONSE, 0, 0));
            if (command == CLOSE) {
                Files.write(file, bytes);
                return;
            }
        }
    }

    private static ByteBuffer message(int command, int data, int more) {
        return ByteBuffer.allocate(HEADER + more)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(1, (byte) command)
                .putShort(2, (short) (HEADER + more))
                .putInt(4, data);
    }

    private void answer(int command) throws IOException {
        ByteBuffer head = read(HEADER);
        if (Byte.toUnsignedInt(head.get(1)) != (command | RESPONSE) || head.getInt(4) != 0) {
            throw new ProtocolException("rcopy answers to command " + command + " with " + head.get(1) + " and error " + head.getInt(4));
        }
    }

    private void write(ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            channel.write(all);
        }
    }

    private ByteBuffer read(int count) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (all.hasRemaining()) {
            if (channel.read(all) < 0) {
                throw new EOFException("rcopy has closed the connection");
            }
        }
        return all;
    }
}
