import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;

/**
 * "Pages serve" is Grizzly with pages whose content follows from their path, /LENGTH/NUMBER; "Pages get PORT" gets some with the JDK's client, and compares every
 * byte. Each ends when its input ends.
 */
final class Pages {
    private static final int SMALL = 1_000;
    private static final int LARGE = 20;
    private static final int LARGE_LENGTH = 4 << 20;

    private Pages() {}

    public static void main(String[] words) throws Exception {
        if (words[0].equals("serve")) {
            serve();
        } else {
            get(URI.create("http://127.0.0.1:" + words[1]));
        }
    }

    private static void serve() throws IOException {
        HttpServer server = new HttpServer();
        NetworkListener listener = new NetworkListener("pages", "127.0.0.1", 0);
        server.addListener(listener);
        server.getServerConfiguration().addHttpHandler(new HttpHandler() {
            @Override
            public void service(Request request, Response response) throws IOException {
                byte[] page = page(request.getRequestURI());
                response.setContentLength(page.length);
                response.getOutputStream().write(page);
            }
        });
        server.start();
        System.out.println("port: " + listener.getPort());
        while (System.in.read() >= 0) {}
        server.shutdownNow();
    }

    private static void get(URI server) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        long bytes = 0;
        long began = System.nanoTime();
        for (int i = 0; i < SMALL; i++) {
            bytes += get(client, server, i % 5_000, i);
        }
        System.out.println("figure: pages of 5,000 bytes or less, a second: " + SMALL * 1_000_000_000L / (System.nanoTime() - began));
        began = System.nanoTime();
        for (int i = 0; i < LARGE; i++) {
            bytes += get(client, server, LARGE_LENGTH, i);
        }
        System.out.println("figure: pages of 4 MiB, MB/s: " + Math.round(LARGE * LARGE_LENGTH * 10_000.0 / (System.nanoTime() - began)) / 10.0);
        System.out.println("bytes: " + bytes);
        System.out.println(SMALL + LARGE + " pages, every byte as it was sent");
        System.out.println("done");
        while (System.in.read() >= 0) {}
    }

    private static int get(HttpClient client, URI server, int length, int number) throws Exception {
        String path = "/" + length + "/" + number;
        HttpResponse<byte[]> answer =
                client.send(HttpRequest.newBuilder(server.resolve(path)).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200 || !Arrays.equals(answer.body(), page(path))) {
            throw new IOException(path + ": status " + answer.statusCode() + ", " + answer.body().length + " bytes, not those that were sent");
        }
        return length;
    }

    private static byte[] page(String path) {
        String[] parts = path.split("/");
        byte[] page = new byte[Integer.parseInt(parts[1])];
        new SplittableRandom(Integer.parseInt(parts[2])).nextBytes(page);
        return page;
    }
}
