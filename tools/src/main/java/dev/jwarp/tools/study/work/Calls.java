package dev.jwarp.tools.study.work;

import dev.jwarp.tools.study.work.WorkloadParameters.Trip;
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
final class Calls implements Workload {
    private static final int INVITE = 700;
    private static final int ANSWER = 400;
    private static final int BYE = 350;
    /** The first byte of an ACK, which has no answer, and of other requests. */
    private static final byte ACK = 'A';

    private static final byte OTHER = 0;
    /** Calls before the measurement. */
    private static final int WARM = 200;

    private final WorkloadParameters parameters;
    private final ByteBuffer out = ByteBuffer.allocateDirect(INVITE);
    private final ByteBuffer in = ByteBuffer.allocateDirect(ANSWER);

    /** @param parameters {@code over=rc|ud|tcp|udp seconds=N} */
    Calls(WorkloadParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        try (Network network = new Network(parameters.text("over"))) {
            Trip call = network.datagrams() ? byDatagrams(network) : byConnections(network);
            return WorkloadParameters.micros("response", parameters.times(WARM, call));
        }
    }

    private Trip byConnections(Network network) throws IOException {
        InetSocketAddress server = network.serve(peer -> {
            ByteBuffer request = ByteBuffer.allocateDirect(INVITE);
            ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER);
            Network.readAll(peer, request.clear());
            Network.writeAll(peer, answer.clear());
            Network.readAll(peer, request.clear().limit(BYE)); // the ACK
            Network.readAll(peer, request.clear().limit(BYE));
            Network.writeAll(peer, answer.clear());
        });
        return () -> {
            try (SocketChannel channel = network.connect(server)) {
                Network.writeAll(channel, out.clear());
                Network.readAll(channel, in.clear());
                Network.writeAll(channel, out.clear().limit(BYE));
                Network.writeAll(channel, out.clear().limit(BYE));
                Network.readAll(channel, in.clear());
                return true;
            }
        };
    }

    private Trip byDatagrams(Network network) throws IOException {
        DatagramChannel server = network.datagramChannel();
        Network.start(() -> {
            ByteBuffer request = ByteBuffer.allocateDirect(INVITE);
            ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER);
            while (true) {
                SocketAddress from = server.receive(request.clear());
                if (request.get(0) != ACK) {
                    server.send(answer.clear(), from);
                }
            }
        });
        Network.Client client = network.new Client(server.getLocalAddress());
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
