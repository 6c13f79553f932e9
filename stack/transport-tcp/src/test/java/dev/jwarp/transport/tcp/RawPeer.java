package dev.jwarp.transport.tcp;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Vectors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;

/** A peer on a plain socket, which sends any bytes of the test, MPA or not. */
final class RawPeer implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = (int) Patience.MILLIS;

    final Socket socket;

    private RawPeer(Socket socket) {
        this.socket = socket;
    }

    static RawPeer connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        prepare(socket); // later it may be reset already
        socket.connect(address, TIMEOUT_MILLIS);
        return new RawPeer(socket);
    }

    static RawPeer accept(ServerSocket server) throws IOException {
        server.setSoTimeout(TIMEOUT_MILLIS);
        Socket socket = server.accept();
        prepare(socket);
        return new RawPeer(socket);
    }

    private static void prepare(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    RawPeer say(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
        socket.getOutputStream().flush();
        return this;
    }

    RawPeer say(String vectorOrHex) throws IOException {
        boolean hex = vectorOrHex.matches("[0-9a-f]*");
        return say(
                hex
                        ? HexFormat.of().parseHex(vectorOrHex)
                        : Vectors.byId(vectorOrHex).octets());
    }

    /** {@return the next octets as hex; fewer if the peer closes} */
    String hear(int octets) throws IOException {
        return HexFormat.of().formatHex(socket.getInputStream().readNBytes(octets));
    }

    /** {@return the rest of the input until the peer closes; an RST counts as a close} */
    byte[] hearTheEnd() {
        byte[] all = new byte[0];
        byte[] piece = new byte[4096];
        try {
            for (int n = 0; n >= 0; n = socket.getInputStream().read(piece)) {
                int before = all.length;
                all = Arrays.copyOf(all, before + n);
                System.arraycopy(piece, 0, all, before, n);
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the peer does not close", e);
        } catch (IOException e) {
            return all; // reset
        }
        return all;
    }

    void fin() throws IOException {
        socket.shutdownOutput();
    }

    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
