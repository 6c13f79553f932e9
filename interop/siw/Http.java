import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * The JDK's HTTP, as it is; jwarp's agent makes RDMA of it. "Http fetch URL FILE" gets a file. "Http serve ADDRESS PORT FILE CAME REQUESTS" answers so many
 * requests: a GET with the file, a PUT by writing what came.
 */
final class Http {
    private Http() {}

    public static void main(String[] words) throws Exception {
        if (words[0].equals("fetch")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(words[1])).build();
            HttpResponse<Path> answer = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .build()
                    .send(request, HttpResponse.BodyHandlers.ofFile(Path.of(words[2])));
            if (answer.statusCode() != 200) {
                throw new IOException("the server answers " + answer.statusCode());
            }
        } else {
            serve(
                    new InetSocketAddress(words[1], Integer.parseInt(words[2])),
                    Path.of(words[3]),
                    Path.of(words[4]),
                    Integer.parseInt(words[5]));
        }
    }

    private static void serve(InetSocketAddress at, Path file, Path came, int requests) throws Exception {
        CountDownLatch left = new CountDownLatch(requests);
        HttpServer server = HttpServer.create(at, 0);
        server.createContext("/", exchange -> {
            answer(exchange, file, came);
            left.countDown();
        });
        server.start();
        left.await();
        server.stop(5);
    }

    private static void answer(HttpExchange exchange, Path file, Path came) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("PUT")) {
                try (OutputStream to = Files.newOutputStream(came)) {
                    exchange.getRequestBody().transferTo(to);
                }
                exchange.sendResponseHeaders(201, -1);
            } else {
                exchange.sendResponseHeaders(200, Files.size(file));
                Files.copy(file, exchange.getResponseBody());
            }
        }
    }
}
