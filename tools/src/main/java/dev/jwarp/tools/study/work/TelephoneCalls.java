package dev.jwarp.tools.study.work;

import dev.jwarp.tools.study.work.ApplicationParameters.Trip;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;

/**
 * Set-up and end of telephone calls, as SIP has them: INVITE and its answer, ACK, BYE and its answer (RFC 3261). Over
 * connections each call has one of its own, as clients that seldom call do.
 */
final class TelephoneCalls implements StudyApplication {
    private static final int INVITE = 700;
    private static final int ANSWER = 400;
    private static final int BYE = 350;
    /** The first byte of an ACK, which has no answer, and of other requests. */
    private static final byte ACK = 'A';

    private static final byte OTHER = 0;
    /** Calls before the measurement. */
    private static final int WARM = 200;

    private final ApplicationParameters parameters;
    private final ByteBuffer out = ByteBuffer.allocateDirect(INVITE);
    private final ByteBuffer in = ByteBuffer.allocateDirect(ANSWER);

    /** @param parameters {@code over=rc|ud|tcp|udp seconds=N} */
    TelephoneCalls(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        try (ApplicationSockets network = new ApplicationSockets(parameters.text("over"))) {
            Trip call = network.datagrams() ? byDatagrams(network) : byConnections(network);
            return ApplicationParameters.micros("response", parameters.times(WARM, call));
        }
    }

    private Trip byConnections(ApplicationSockets network) throws IOException {
        InetSocketAddress server = network.serve(peer -> {
            ByteBuffer request = ByteBuffer.allocateDirect(INVITE);
            ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER);
            ApplicationSockets.readAll(peer, request.clear());
            ApplicationSockets.writeAll(peer, answer.clear());
            ApplicationSockets.readAll(peer, request.clear().limit(BYE)); // the ACK
            ApplicationSockets.readAll(peer, request.clear().limit(BYE));
            ApplicationSockets.writeAll(peer, answer.clear());
        });
        return () -> {
            try (SocketChannel channel = network.connect(server)) {
                ApplicationSockets.writeAll(channel, out.clear());
                ApplicationSockets.readAll(channel, in.clear());
                ApplicationSockets.writeAll(channel, out.clear().limit(BYE));
                ApplicationSockets.writeAll(channel, out.clear().limit(BYE));
                ApplicationSockets.readAll(channel, in.clear());
                return true;
            }
        };
    }

    private Trip byDatagrams(ApplicationSockets network) throws IOException {
        DatagramChannel server = network.datagramChannel();
        ApplicationSockets.start(() -> {
            ByteBuffer request = ByteBuffer.allocateDirect(INVITE);
            ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER);
            while (true) {
                SocketAddress from = server.receive(request.clear());
                if (request.get(0) != ACK) {
                    server.send(answer.clear(), from);
                }
            }
        });
        ApplicationSockets.Client client = network.new Client(server.getLocalAddress());
        return () -> {
            client.send(out.clear());
            if (!client.receive(in.clear())) {
                return false;
            }
            client.send(out.clear().limit(BYE).put(0, ACK));
            client.send(out.clear().limit(BYE).put(0, OTHER));
            return client.receive(in.clear());
        };
    }
}
