package dev.jwarp.tools.study.work;

import dev.jwarp.tools.study.work.ApplicationParameters.Trip;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;

/** A player that asks for a stream, and starts to play when its buffer is full. */
final class MediaPlayer implements StudyApplication {
    private static final int REQUEST = 64;
    /** A packet of a stream: seven of MPEG's, in a datagram. */
    private static final int PACKET = 7 * 188;
    /** The player does not wait for packets that are lost. */
    private static final double ENOUGH = 0.95;

    private static final int WARM = 20;

    private final ApplicationParameters parameters;

    /** @param parameters {@code over=rc|ud|tcp|udp buffer=BYTES seconds=N} */
    MediaPlayer(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        try (ApplicationSockets network = new ApplicationSockets(parameters.text("over"))) {
            int packets = parameters.number("buffer") / PACKET;
            Trip filling = network.datagrams() ? byDatagrams(network, packets) : byConnection(network, packets);
            return ApplicationParameters.micros("prebuffer", parameters.times(WARM, filling));
        }
    }

    private static Trip byConnection(ApplicationSockets network, int packets) throws IOException {
        InetSocketAddress server = network.serve(peer -> {
            ApplicationSockets.readAll(peer, ByteBuffer.allocateDirect(REQUEST));
            ByteBuffer packet = ByteBuffer.allocateDirect(PACKET);
            for (int i = 0; i < packets; i++) {
                ApplicationSockets.writeAll(peer, packet.clear());
            }
            peer.read(packet.clear()); // until the player ends
        });
        ByteBuffer buffer = ByteBuffer.allocateDirect(packets * PACKET);
        return () -> {
            try (SocketChannel channel = network.connect(server)) {
                ApplicationSockets.writeAll(channel, ByteBuffer.allocateDirect(REQUEST));
                ApplicationSockets.readAll(channel, buffer.clear());
                return true;
            }
        };
    }

    private static Trip byDatagrams(ApplicationSockets network, int packets) throws IOException {
        DatagramChannel server = network.datagramChannel();
        ApplicationSockets.start(() -> {
            ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
            ByteBuffer packet = ByteBuffer.allocateDirect(PACKET);
            while (true) {
                var player = server.receive(request.clear());
                byte stream = request.get(0);
                for (int i = 0; i < packets; i++) {
                    server.send(packet.clear().put(0, stream), player);
                }
            }
        });
        ApplicationSockets.Client client = network.new Client(server.getLocalAddress());
        ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
        ByteBuffer packet = ByteBuffer.allocateDirect(PACKET);
        byte[] stream = new byte[1];
        return () -> {
            stream[0]++; // packets of the stream before may still come
            client.send(request.clear().put(0, stream[0]));
            int got = 0;
            while (got < ENOUGH * packets) {
                if (!client.receive(packet.clear())) {
                    return false;
                }
                got += packet.get(0) == stream[0] ? 1 : 0;
            }
            return true;
        };
    }
}
