package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;

/** Jetty serves files of a folder, and the JDK's HTTP client fetches them. It does not use jwarp's API. */
public final class JettyFiles {
    private static final int PIECE = 128 * 1024;

    private JettyFiles() {}

    /**
     * Throws if received data differ from the sent data.
     *
     * @param arguments a folder, then lengths of files in KiB
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ResourceHandler files = new ResourceHandler();
        files.setBaseResource(ResourceFactory.of(server).newResource(folder));
        server.setHandler(files);
        server.start();
        try {
            HttpClient client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            for (int i = 1; i < arguments.length; i++) {
                int kib = Integer.parseInt(arguments[i]);
                String name = kib + "k.bin";
                String sum = write(folder.resolve(name), kib);
                URI from = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/" + name);
                String came = fetch(client, from);
                if (!came.equals(sum)) {
                    throw new IOException(name + " came with SHA-256 " + came + " and not " + sum);
                }
                System.out.println(kib + " KiB, SHA-256 " + sum);
            }
        } finally {
            server.stop();
        }
    }

    private static String write(Path file, int kib) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        Random random = new Random(kib);
        byte[] piece = new byte[PIECE];
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(file), digest)) {
            for (int left = kib * 1024; left > 0; left -= PIECE) {
                random.nextBytes(piece);
                out.write(piece, 0, Math.min(left, PIECE));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static String fetch(HttpClient client, URI from) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        HttpResponse<InputStream> response =
                client.send(HttpRequest.newBuilder(from).build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new IOException(from + " is answered with " + response.statusCode());
        }
        try (InputStream body = response.body()) {
            body.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
