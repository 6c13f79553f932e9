package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The typical uses of {@code java.net} sockets: bytes, time-outs, ends, options, failures. It does not use jwarp's API.
 */
public final class JavaNetPair {
    private static final int LENGTH = 3_000_000;
    private static final int SOON_MILLIS = 50;

    private static int patienceSeconds = 300;

    private JavaNetPair() {}

    /**
     * Throws if the behaviour differs from that of {@code java.net}.
     *
     * @param arguments seconds to wait for an expected event; 300 by default
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            patienceSeconds = Integer.parseInt(arguments[0]);
        }
        ExecutorService threads = Executors.newCachedThreadPool(body -> {
            Thread thread = new Thread(body);
            thread.setDaemon(true);
            return thread;
        });
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket listener = new ServerSocket(0, 50, here)) {
            check(listener.isBound() && !listener.isClosed(), "a listener is bound");
            check(listener.getInetAddress().equals(here) && listener.getLocalPort() > 0, "a listener has its address");
            listener.setSoTimeout(SOON_MILLIS);
            check(listener.getSoTimeout() == SOON_MILLIS, "a listener has its time-out");
            throwing(SocketTimeoutException.class, listener::accept);
            listener.setSoTimeout(0);
            Future<Socket> accepted = threads.submit(listener::accept);
            try (Socket client = new Socket(here, listener.getLocalPort());
                    Socket server = get(accepted)) {
                addresses(client, server, listener);
                options(client);
                timeOut(client);
                bytes(threads, client, server);
                ends(client, server);
            }
            try (Socket client = new Socket()) {
                client.setReuseAddress(true);
                client.bind(new InetSocketAddress(here, 0));
                check(client.isBound() && !client.isConnected(), "a socket can be bound first");
                accepted = threads.submit(listener::accept);
                client.connect(listener.getLocalSocketAddress(), 300_000);
                throwing(SocketException.class, () -> {
                    client.connect(listener.getLocalSocketAddress());
                    return "connected twice";
                });
                try (Socket server = get(accepted)) {
                    server.close();
                    check(client.getInputStream().read() < 0, "a peer that closes ends the stream");
                }
                Future<Integer> reading = threads.submit(() -> new Socket(here, listener.getLocalPort())
                        .getInputStream()
                        .read());
                Socket held = listener.accept();
                client.close();
                check(client.isClosed(), "a socket is closed");
                throwing(SocketException.class, client::getInputStream);
                held.getOutputStream().write(77);
                check(get(reading) == 77, "a byte comes");
                held.close();
            }
            Future<Socket> waiting = threads.submit(listener::accept);
            throwing(
                    java.util.concurrent.TimeoutException.class, () -> waiting.get(SOON_MILLIS, TimeUnit.MILLISECONDS));
            listener.close();
            throwing(SocketException.class, () -> get(waiting));
            throwing(ConnectException.class, () -> new Socket(here, listener.getLocalPort()));
        }
        throwing(UnknownHostException.class, () -> {
            try (Socket socket = new Socket()) {
                socket.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 9));
            }
            return "connected";
        });
        System.out.println("all as java.net says");
    }

    private static void addresses(Socket client, Socket server, ServerSocket listener) {
        check(client.isConnected() && server.isConnected() && client.isBound(), "both are connected");
        check(client.getPort() == listener.getLocalPort(), "a client has its peer's port");
        check(client.getInetAddress().equals(listener.getInetAddress()), "a client has its peer's address");
        check(server.getRemoteSocketAddress().equals(client.getLocalSocketAddress()), "a server knows its client");
        check(client.getRemoteSocketAddress().equals(server.getLocalSocketAddress()), "a client knows its server");
    }

    private static void options(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        check(socket.getTcpNoDelay() && socket.getOption(StandardSocketOptions.TCP_NODELAY), "TCP_NODELAY");
        socket.setKeepAlive(true);
        check(socket.getKeepAlive(), "SO_KEEPALIVE");
        socket.setSoLinger(true, 7);
        check(socket.getSoLinger() == 7, "SO_LINGER");
        socket.setSoLinger(false, 0);
        check(socket.getSoLinger() == -1, "no SO_LINGER");
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, false);
        check(!socket.getKeepAlive(), "SO_KEEPALIVE by its name");
        check(socket.supportedOptions().contains(StandardSocketOptions.SO_RCVBUF), "options there are");
        check(socket.getSendBufferSize() > 0 && socket.getReceiveBufferSize() > 0, "buffers have a size");
        socket.setTrafficClass(8);
    }

    private static void timeOut(Socket client) throws Exception {
        client.setSoTimeout(SOON_MILLIS);
        check(client.getSoTimeout() == SOON_MILLIS, "a socket has its time-out");
        InputStream in = client.getInputStream();
        throwing(SocketTimeoutException.class, in::read);
        client.setSoTimeout(0);
    }

    private static void bytes(ExecutorService threads, Socket client, Socket server) throws Exception {
        byte[] sent = new byte[LENGTH];
        new Random(LENGTH).nextBytes(sent);
        Future<?> echo = threads.submit(() -> {
            server.getInputStream().transferTo(server.getOutputStream());
            server.shutdownOutput();
            return null;
        });
        Future<byte[]> came = threads.submit(() -> client.getInputStream().readNBytes(LENGTH));
        client.getOutputStream().write(sent);
        check(Arrays.equals(get(came), sent), "what was sent comes back");
        check(client.getInputStream().available() == 0, "and no more");
        client.shutdownOutput();
        check(client.isOutputShutdown(), "its output is ended");
        get(echo);
    }

    private static void ends(Socket client, Socket server) throws Exception {
        check(client.getInputStream().read() < 0, "the end comes behind the bytes");
        check(server.getInputStream().read() < 0, "at both sides");
        throwing(SocketException.class, client::getOutputStream);
    }

    private static void check(boolean is, String what) {
        if (!is) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }

    private static <T> T get(Future<T> what) throws Exception {
        try {
            return what.get(patienceSeconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static void throwing(Class<? extends Exception> wanted, Callable<?> what) throws Exception {
        Object gave;
        try {
            gave = what.call();
        } catch (Exception e) {
            if (wanted.isInstance(e)) {
                return;
            }
            throw e;
        }
        throw new IllegalStateException("no " + wanted.getSimpleName() + ", but " + gave);
    }
}
