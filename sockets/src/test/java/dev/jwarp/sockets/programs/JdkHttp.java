package dev.jwarp.sockets.programs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The HTTP server and client of the JDK: bodies of many lengths are echoed, many at a time. It does not use jwarp's
 * API.
 */
public final class JdkHttp {
    private JdkHttp() {}

    /**
     * Throws if an echoed body differs.
     *
     * @param arguments bytes of the second body; the others have the squares of their numbers times as many
     */
    public static void main(String[] arguments) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.createContext("/", JdkHttp::echo);
        server.setExecutor(threads);
        server.start();
        try {
            URI to = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
            HttpClient client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            int second = Integer.parseInt(arguments[0]);
            List<CompletableFuture<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                byte[] body = body(i * i * second);
                HttpRequest request = HttpRequest.newBuilder(to)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
                all.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                        .thenApply(response -> response.statusCode() == 200 && Arrays.equals(response.body(), body)));
            }
            long same = all.stream().filter(CompletableFuture::join).count();
            if (same != all.size()) {
                throw new IOException("only " + same + " of " + all.size() + " bodies came back as they were");
            }
            System.out.println(same + " bodies came back");
        } finally {
            server.stop(0);
            threads.shutdown();
        }
    }

    private static void echo(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static byte[] body(int length) {
        byte[] body = new byte[length];
        for (int i = 0; i < length; i++) {
            body[i] = (byte) (i * 7 + (i >> 9));
        }
        return body;
    }
}
