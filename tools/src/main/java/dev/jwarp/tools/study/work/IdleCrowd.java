package dev.jwarp.tools.study.work;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server with many connections, of which one at a time has a request. */
final class IdleCrowd implements StudyApplication {
    private static final int MESSAGE = 512;
    /** Connections that have requests, in turn. */
    private static final int ACTIVE = 10;

    private static final int WARM = 200;

    private final ApplicationParameters parameters;
    private int turn;

    /** @param parameters {@code over=rc|tcp connections=N seconds=N} */
    IdleCrowd(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        try (ApplicationSockets sockets = new ApplicationSockets(parameters.text("over"))) {
            InetSocketAddress server = sockets.echo(MESSAGE);
            List<SocketChannel> all = new ArrayList<>();
            for (int i = 0; i < parameters.number("connections"); i++) {
                all.add(sockets.connect(server));
            }
            ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE);
            Map<String, Double> figures = ApplicationParameters.micros("response", parameters.times(WARM, () -> {
                SocketChannel channel = all.get(turn);
                turn = (turn + 1) % Math.min(ACTIVE, all.size());
                ApplicationSockets.writeAll(channel, message.clear());
                ApplicationSockets.readAll(channel, message.clear());
                return true;
            }));
            for (SocketChannel each : all) {
                each.close();
            }
            return figures;
        }
    }
}
