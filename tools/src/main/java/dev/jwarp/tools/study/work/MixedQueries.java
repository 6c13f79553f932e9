package dev.jwarp.tools.study.work;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;

/** Queries of an image that a server has in blocks: a full query needs all blocks, a partial query one. */
final class MixedQueries implements StudyApplication {
    private static final int IMAGE = 1 << 20;
    private static final int WARM = 20;

    private final ApplicationParameters parameters;
    private final int blocks;
    private final int full;
    private final ByteBuffer requests;
    private final ByteBuffer image = ByteBuffer.allocateDirect(IMAGE);
    /** Hundredths of a full query that are due. */
    private int due;

    /** @param parameters {@code over=rc|tcp blocks=N full=PERCENT seconds=N} */
    MixedQueries(ApplicationParameters parameters) {
        this.parameters = parameters;
        blocks = parameters.number("blocks");
        full = parameters.number("full");
        requests = ByteBuffer.allocateDirect(blocks);
    }

    @Override
    public Map<String, Double> run() throws IOException {
        try (ApplicationSockets network = new ApplicationSockets(parameters.text("over"))) {
            InetSocketAddress server = network.serve(this::give);
            try (SocketChannel channel = network.connect(server)) {
                return Map.of(
                        "query_us", parameters.times(WARM, () -> query(channel)).getMean() / 1e3);
            }
        }
    }

    private boolean query(SocketChannel channel) throws IOException {
        due += full;
        int wanted = due < 100 ? 1 : blocks;
        due %= 100;
        ApplicationSockets.writeAll(channel, requests.clear().limit(wanted));
        ApplicationSockets.readAll(channel, image.clear().limit(wanted * (IMAGE / blocks)));
        return true;
    }

    /** Answers each byte with a block. */
    private void give(SocketChannel peer) throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(1);
        ByteBuffer block = ByteBuffer.allocateDirect(IMAGE / blocks);
        while (true) {
            ApplicationSockets.readAll(peer, request.clear());
            ApplicationSockets.writeAll(peer, block.clear());
        }
    }
}
