package dev.jwarp.rnic;

import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Carries a {@link PlayedDevice} over TCP, on a thread of its own. */
final class PlayedSocket implements AutoCloseable {
    private static final int MOST = 1 << 16;

    private final PlayedDevice device;
    private final @Nullable ServerSocket listener;
    private final @Nullable InetSocketAddress peer;
    private volatile @Nullable Socket current;
    private volatile boolean closed;

    /** Connects to {@code peer}, or listens if {@code peer} is null. */
    PlayedSocket(PlayedDevice device, @Nullable InetSocketAddress peer) throws IOException {
        this.device = device;
        this.peer = peer;
        listener = peer == null ? new ServerSocket(0, 8, InetAddress.getLoopbackAddress()) : null;
        OwnThread.EACH.execute(this::run);
    }

    int port() {
        return listener == null ? 0 : listener.getLocalPort();
    }

    private void run() {
        try {
            do {
                serve(listener == null ? new Socket(peer.getAddress(), peer.getPort()) : listener.accept());
            } while (!closed && (listener != null || device.takeAgain()));
        } catch (IOException e) {
            if (!closed) {
                throw new IllegalStateException("the played device", e);
            }
        }
    }

    private void serve(Socket socket) throws IOException {
        current = socket;
        PlayedDevice.Wire wire = new SocketWire(socket);
        try (socket) {
            socket.setTcpNoDelay(true);
            device.onConnected(wire);
            InputStream in = socket.getInputStream();
            byte[] some = new byte[MOST];
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                device.receive(Arrays.copyOf(some, length), wire);
                if (socket.isClosed()) {
                    return;
                }
            }
            device.onEnd(false);
        } catch (IOException e) {
            if (!socket.isClosed() || !device.isOver()) {
                device.onEnd(true);
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        if (listener != null) {
            listener.close();
        }
        Socket socket = current;
        if (socket != null) {
            socket.close();
        }
    }

    /** Writes the device's output; the reader detects the end of the stream. */
    private record SocketWire(Socket socket) implements PlayedDevice.Wire {
        @Override
        public void send(byte[] octets) {
            try {
                socket.getOutputStream().write(octets);
            } catch (IOException e) {
                end(Ending.CLOSE);
            }
        }

        @Override
        public void end(Ending ending) {
            try {
                if (ending == Ending.ABORT) {
                    socket.setSoLinger(true, 0);
                }
                socket.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
