import dev.jwarp.sockets.JwarpSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/** The server for attacks on sockets: a program of java.nio that accepts every peer and echoes its bytes. Ends with its standard input. */
public final class Sockets {
    private Sockets() {}

    /** Takes no arguments of its own. */
    public static void main(String[] arguments) throws Exception {
        ServerSocketChannel listener = JwarpSockets.openServerSocketChannel();
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
        listener.configureBlocking(false);
        Thread thread = new Thread(() -> serve(listener), "serve");
        thread.setDaemon(true);
        thread.start();
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        System.out.println("ready pid=" + ProcessHandle.current().pid() + " tcp=" + port);
        while (System.in.read() >= 0) {
            // until the starting process has ended
        }
        System.exit(0);
    }

    private static void serve(ServerSocketChannel listener) {
        try (Selector selector = JwarpSockets.openSelector()) {
            listener.register(selector, SelectionKey.OP_ACCEPT);
            while (true) {
                selector.select();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    try {
                        if (key.isAcceptable()) {
                            takeAll(listener, selector);
                        } else {
                            echo((SocketChannel) key.channel(), (ByteBuffer) key.attachment());
                        }
                    } catch (IOException e) {
                        key.channel().close(); // of an attacker, who has gone
                    }
                }
            }
        } catch (IOException e) {
            System.err.println("serve: " + e);
        }
    }

    private static void takeAll(ServerSocketChannel listener, Selector selector) throws IOException {
        for (SocketChannel peer = listener.accept(); peer != null; peer = listener.accept()) {
            peer.configureBlocking(false);
            peer.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(4096));
        }
    }

    /** Clients wait for their few bytes before they send more, so there is always room for the answer. */
    private static void echo(SocketChannel peer, ByteBuffer buffer) throws IOException {
        if (peer.read(buffer.clear()) < 0) {
            peer.close();
        } else {
            peer.write(buffer.flip());
        }
    }
}
