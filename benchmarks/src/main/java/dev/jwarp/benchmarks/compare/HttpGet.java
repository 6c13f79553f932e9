package dev.jwarp.benchmarks.compare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageBuffer;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.samples.http.MessageConnector;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;

/** A file from Jetty, one GET at a time: over TCP, or as a long message into a return buffer of the client. */
final class HttpGet implements Contender {
    private static final int WEB = 80;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int HEADER = 4_096;
    private static final long MEMORY = 1L << 30;

    /** Gets the file once. */
    private interface Get {
        void once() throws Exception;
    }

    private final int size;
    private final Get get;
    private final TimedRoundTrips trips;
    private final ByteBuffer request = ISO_8859_1.encode("GET /file HTTP/1.1\r\nHost: jwarp\r\nAccept: */*\r\n\r\n");

    /** @param arguments {@code with=messages|tcp size=N}, settings of jwarp */
    HttpGet(Arguments arguments) throws Exception {
        size = arguments.number("size", 1 << 20);
        trips = new TimedRoundTrips(size, new Turn());
        Path folder = Files.createTempDirectory("jwarp-http");
        Path file = folder.resolve("file");
        Files.write(file, new byte[size]);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (file.toFile().delete()) {
                folder.toFile().deleteOnExit();
            }
        }));
        Server server = new Server();
        ResourceHandler resources = new ResourceHandler();
        resources.setBaseResource(ResourceFactory.of(server).newResource(folder));
        server.setHandler(resources);
        get = arguments.is("with", "tcp") ? overTcp(server) : overMessages(server, arguments);
    }

    private Get overMessages(Server server, Arguments arguments) throws Exception {
        StaticDirectory directory = new StaticDirectory(Map.of(WEB, MessageEcho.freeAddress()));
        EndpointOptions options = EndpointOptions.of(0)
                .withCarriers(QueuePairType.RC)
                .withMemory(MEMORY, false)
                .withTimeout(PATIENCE);
        MessageEndpoint service =
                MessageEndpoint.open(context(Progress.THREADED, arguments), directory, options.withService(WEB));
        // The client's thread moves the bytes itself, as that over TCP does.
        Context inline = context(Progress.INLINE, arguments);
        MessageEndpoint client = MessageEndpoint.open(inline, directory, options);
        server.addConnector(new MessageConnector(server, service));
        server.start();
        return () -> {
            List<MessageBuffer> room = List.of(client.buffers().allocate(size + HEADER));
            CompletableFuture<Message> answer = client.call(WEB, request.duplicate(), room, PATIENCE);
            while (!answer.isDone()) {
                inline.await(PATIENCE);
            }
            try (Message response = answer.get()) {
                check(response.data().remaining());
            }
        };
    }

    private static Context context(Progress progress, Arguments arguments) {
        return RdmaProvider.load().device("jwarp0").open(progress, arguments.settings());
    }

    private void check(long length) {
        if (length < size) {
            throw new IllegalStateException("a response of " + length + " bytes");
        }
    }

    private Get overTcp(Server server) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setIdleTimeout(Duration.ofHours(1).toMillis()); // the others' turns take a while
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        server.start();
        SocketChannel socket =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()));
        ByteBuffer response = ByteBuffer.allocateDirect(size + HEADER);
        return () -> {
            ByteBuffer words = request.duplicate();
            while (words.hasRemaining()) {
                socket.write(words);
            }
            response.clear();
            int content = -1;
            while (content < 0 || response.position() < content + size) {
                if (socket.read(response) < 0) {
                    throw new EOFException("Jetty has closed the connection");
                }
                content = content < 0 ? contentAt(response.duplicate().flip()) : content;
            }
        };
    }

    /** {@return where the content begins; -1 if the header is not whole} */
    private static int contentAt(ByteBuffer response) {
        int end = ISO_8859_1
                .decode(response.limit(Math.min(response.limit(), HEADER)))
                .toString()
                .indexOf("\r\n\r\n");
        return end < 0 ? -1 : end + 4;
    }

    @Override
    public Sample round(long nanos) throws Exception {
        return trips.round(nanos, this::trip);
    }

    private void trip() throws IOException {
        try {
            get.once();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
