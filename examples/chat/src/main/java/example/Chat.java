package example;

import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** The roles: a server, a client, or a server and three clients in one process. */
public final class Chat {
    private static final List<String> NAMES = List.of("Ann", "Ben", "Cem");
    private static final int LINES = 500;
    private static final int ALL_LINES = NAMES.size() * LINES;

    public static void main(String[] arguments) throws Exception {
        String words = String.join(" ", arguments);
        if (words.matches("server \\d+")) {
            new ChatServer(new InetSocketAddress(Integer.parseInt(arguments[1]))).call();
        } else if (words.matches("client \\S+ \\d+ \\S+")) {
            InetSocketAddress server = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
            try (SocketChannel channel = SocketChannel.open(server)) {
                Stream<String> typed = new BufferedReader(new InputStreamReader(System.in)).lines();
                start(() -> send(channel, arguments[3], typed).shutdownOutput());
                reader(channel).lines().forEach(System.out::println);
            }
        } else if (words.equals("all")) {
            System.out.println(all());
        } else {
            throw new IllegalArgumentException("usage: server PORT | client HOST PORT NAME | all");
        }
    }

    private static BufferedReader reader(SocketChannel channel) {
        return new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    private static SocketChannel send(SocketChannel channel, String name, Stream<String> lines) throws IOException {
        for (String line : (Iterable<String>) lines::iterator) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(name + ": " + line + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        return channel;
    }

    private static <T> Future<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future);
        thread.setDaemon(true); // the process ends when main does
        thread.start();
        return future;
    }

    private static String all() throws Exception {
        ChatServer server = new ChatServer(new InetSocketAddress("127.0.0.1", 0));
        Future<?> serving = start(server);
        SocketAddress address = server.listener.getLocalAddress();
        List<Future<Void>> clients =
                NAMES.stream().map(name -> start(() -> talk(address, name))).toList();
        for (Future<?> client : clients) {
            try {
                client.get(60, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new IllegalStateException("a client has not received all lines within 60 seconds", e);
            }
        }
        serving.cancel(true);
        return "each client received " + ALL_LINES + " lines, each once and in the order of its sender, from a "
                + server.listener.getClass().getName();
    }

    private static void check(boolean right, String sentence) {
        if (!right) {
            throw new IllegalStateException(sentence);
        }
    }

    /** One client: sends lines when all clients are connected, and receives the lines of all. */
    private static Void talk(SocketAddress server, String name) throws Exception {
        try (SocketChannel channel = SocketChannel.open(server)) {
            BufferedReader reader = reader(channel);
            while (!reader.readLine().equals("* members: " + NAMES.size())) {}
            start(() -> send(channel, name, IntStream.rangeClosed(1, LINES).mapToObj(Integer::toString)));
            Map<String, Integer> heard = new HashMap<>();
            for (int i = 0; i < ALL_LINES; i++) {
                String line = Objects.requireNonNull(reader.readLine(), "the server has ended");
                String[] parts = line.split(": ");
                int number = heard.merge(parts[0], 1, Integer::sum);
                check(parts[1].equals("" + number), name + " received \"" + line + "\", not number " + number);
            }
            channel.shutdownOutput(); // so that the server closes, too
            check(reader.readLine() == null, name + " received a line twice");
            return null;
        }
    }
}
