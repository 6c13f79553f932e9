package dev.jwarp.tools.study.work;

import dev.jwarp.tools.study.work.ApplicationParameters.Trip;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A browser that loads pages of several objects: over a connection for each object (HTTP/1.0), or one for all of a page
 * (HTTP/1.1).
 */
final class WebPages implements StudyApplication {
    private static final int REQUEST = 300;
    private static final int OBJECTS = 8;
    private static final int WARM = 50;

    private final ApplicationParameters parameters;
    private final ByteBuffer out = ByteBuffer.allocateDirect(REQUEST);

    /** @param parameters {@code over=rc|tcp objects=N (of a connection) size=BYTES (of an object) seconds=N} */
    WebPages(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        int size = parameters.number("size");
        int together = parameters.number("objects");
        ByteBuffer in = ByteBuffer.allocateDirect(size);
        Histogram connecting = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        try (ApplicationSockets network = new ApplicationSockets(parameters.text("over"))) {
            InetSocketAddress server = network.serve(peer -> {
                ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
                ByteBuffer answer = ByteBuffer.allocateDirect(size);
                for (int i = 0; i < together; i++) {
                    ApplicationSockets.readAll(peer, request.clear());
                    ApplicationSockets.writeAll(peer, answer.clear());
                }
            });
            Trip page = () -> {
                for (int object = 0; object < OBJECTS; object += together) {
                    long before = System.nanoTime();
                    try (SocketChannel channel = network.connect(server)) {
                        connecting.recordValue(System.nanoTime() - before);
                        for (int i = 0; i < together; i++) {
                            ApplicationSockets.writeAll(channel, out.clear());
                            ApplicationSockets.readAll(channel, in.clear());
                        }
                    }
                }
                return true;
            };
            for (int i = 0; i < WARM; i++) {
                page.run();
            }
            connecting.reset();
            Histogram pages = parameters.times(0, page);
            double connections = (double) OBJECTS / together;
            return Map.of(
                    "page_us", pages.getValueAtPercentile(50) / 1e3,
                    "connecting_percent", 100 * connections * connecting.getMean() / pages.getMean());
        }
    }
}
