package dev.jwarp.samples.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageBuffer;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("HTTP over messages")
class MessageConnectorTest {
    private static final int WEB = 80;

    @TempDir
    private Path files;

    private static CompletableFuture<Message> get(MessageEndpoint client, String path, int room) {
        ByteBuffer request =
                ISO_8859_1.encode("GET " + path + " HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n");
        List<MessageBuffer> returns =
                room == 0 ? List.of() : List.of(client.buffers().allocate(room));
        return client.call(WEB, request, returns, Patience.LIMIT);
    }

    /** {@return the content of a response} */
    private static byte[] content(Message response, int status) {
        String all = ISO_8859_1.decode(response.data().duplicate()).toString();
        assertThat(all).startsWith("HTTP/1.1 " + status + " ");
        return all.substring(all.indexOf("\r\n\r\n") + 4).getBytes(ISO_8859_1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("serves files of any length, to many at a time")
    void files(QueuePairType carrier) throws Exception {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getLoopbackAddress(), ThreadLocalRandom.current().nextInt(10_000, 30_000));
        StaticDirectory directory = new StaticDirectory(Map.of(WEB, address));
        EndpointOptions options = EndpointOptions.of(0).withCarriers(carrier).withTimeout(Patience.LIMIT);
        SplittableRandom random = new SplittableRandom(1);
        try (Context context = RdmaProvider.load()
                        .devices()
                        .get(0)
                        .open(Progress.THREADED, Patience.with(Patience.OF_CONNECTIONS, Map.of()));
                MessageEndpoint service = MessageEndpoint.open(context, directory, options.withService(WEB));
                MessageEndpoint client = MessageEndpoint.open(context, directory, options)) {
            Server server = new Server();
            ResourceHandler resources = new ResourceHandler();
            resources.setBaseResource(ResourceFactory.of(server).newResource(files));
            server.setHandler(resources);
            server.addConnector(new MessageConnector(server, service));
            server.start();
            for (int length : new int[] {0, 1, 1_000, 5_000, 128 << 10, 3 << 20}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                Files.write(files.resolve("file" + length), bytes);
                for (int room : new int[] {0, length + 1_000}) {
                    try (Message response = Patience.get(get(client, "/file" + length, room))) {
                        assertThat(content(response, 200)).isEqualTo(bytes);
                    }
                }
            }
            try (Message response = Patience.get(get(client, "/none", 0))) {
                content(response, 404);
            }
            List<CompletableFuture<Message>> many = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                many.add(get(client, "/file5000", 0));
            }
            for (CompletableFuture<Message> each : many) {
                try (Message response = Patience.get(each)) {
                    assertThat(content(response, 200)).hasSize(5_000);
                }
            }
            server.stop();
            while (client.buffers().taken() + service.buffers().taken() > 0) {
                Thread.onSpinWait(); // until the last DONE has come
            }
        }
    }
}
