import dev.jwarp.sockets.JwarpSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** "Netcat send ADDRESS PORT FILE" connects and sends; "Netcat take ADDRESS PORT FILE BYTES" listens, writes so many that come into the file, and closes. */
final class Netcat {
    private Netcat() {}

    public static void main(String[] words) throws IOException {
        InetSocketAddress address = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
        Path file = Path.of(words[3]);
        if (words[0].equals("send")) {
            send(address, file);
        } else {
            take(address, file, Integer.parseInt(words[4]));
        }
    }

    private static void send(InetSocketAddress to, Path file) throws IOException {
        try (SocketChannel channel = JwarpSockets.openSocketChannel()) {
            channel.connect(to);
            ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
            while (all.hasRemaining()) {
                channel.write(all);
            }
        }
    }

    private static void take(InetSocketAddress at, Path file, int bytes) throws IOException {
        try (ServerSocketChannel listener = JwarpSockets.openServerSocketChannel()) {
            listener.bind(at);
            try (SocketChannel channel = listener.accept();
                    var out = Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer all = ByteBuffer.allocateDirect(bytes);
                while (all.hasRemaining() && channel.read(all) >= 0) {}
                out.write(all.flip());
            }
        }
    }
}
