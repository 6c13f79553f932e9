package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.Transport;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Attacks on a server: each attack ends only its own connection, and a good client is served afterwards. */
public abstract class HostilePeersTest extends TransportBench {
    /** Creates the tests. */
    protected HostilePeersTest() {}

    @Test
    @DisplayName("answers no malformed Request, and continues to serve")
    void malformedRequests() throws Exception {
        Transport server = open();
        Transport hasty = open("jwarp.tcp.request-timeout", "300");
        RecordingHandler handler = new RecordingHandler();
        try (Transport.Listener listener = server.listen(anyPort(), 10, handler);
                Transport.Listener soonOver = hasty.listen(anyPort(), 10, handler)) {
            for (Vector vector : Vectors.ofKind("malformed-mpa")) {
                if (vector.text("receiver").equals("responder")) {
                    boolean silent = vector.id().equals("BADMPA-SHORT-STALL");
                    try (RawPeer peer = RawPeer.connect((silent ? soonOver : listener).localAddress())) {
                        peer.say(vector.octets());
                        if (vector.text("then").equals("FIN")) {
                            peer.fin();
                        }
                        assertThat(whileDriving(peer::hearTheEnd))
                                .as(vector.id())
                                .isEmpty();
                    }
                }
            }
            assertThat(count(server, TcpCounter.BAD_START_FRAME)).isEqualTo(9);
            assertThat(count(hasty, TcpCounter.START_TIMED_OUT)).isEqualTo(1);
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("survives garbage, silence, half frames, FIN and RST in the middle of start-up")
    void brokenStarts() throws Exception {
        Transport server = open();
        RecordingHandler handler = new RecordingHandler();
        // Only silent peers have a short time limit; a peer that sends has enough time.
        Transport hasty = open("jwarp.tcp.request-timeout", "200");
        try (Transport.Listener listener = server.listen(anyPort(), 50, handler);
                Transport.Listener soonOver = hasty.listen(anyPort(), 50, handler)) {
            List<RawPeer> peers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                boolean silent = i == 1 || i == 2;
                peers.add(RawPeer.connect((silent ? soonOver : listener).localAddress()));
            }
            peers.get(0).say(random(5000));
            peers.get(2).say("4d5041");
            peers.get(3).fin();
            peers.get(4).say("4d5041").fin();
            peers.get(5).say("4d5041").reset();
            for (int i = 0; i < 5; i++) {
                RawPeer peer = peers.get(i);
                assertThat(whileDriving(peer::hearTheEnd)).isEmpty();
                peer.close();
            }
            until(() -> handler.events.size() == 6);
            assertThat(handler.events)
                    .containsExactlyInAnyOrder(
                            "failed BAD_START_FRAME", // garbage
                            "failed TIMED_OUT", // silence
                            "failed TIMED_OUT", // half a frame, then silence
                            "failed CLOSED_BY_PEER", // FIN
                            "failed BAD_START_FRAME", // half a frame, then FIN
                            "failed CLOSED_BY_PEER"); // RST
            serves(server, listener, handler);
        }
    }

    /** {@return a peer in full operation} */
    private RawPeer started(Transport.Listener listener) throws Exception {
        RawPeer peer = RawPeer.connect(listener.localAddress()).say("MPA-REQ2-CS");
        assertThat(whileDriving(() -> peer.hear(26))).hasSize(52);
        return peer;
    }

    @Test
    @DisplayName("survives half FPDUs, wrong CRCs, FIN and RST in full operation")
    void brokenStreams() throws Exception {
        Transport server = open();
        RecordingHandler handler = new RecordingHandler();
        List<RecordingUpper> uppers = new ArrayList<>();
        handler.onRequest = c -> {
            RecordingUpper upper = new RecordingUpper() {
                @Override
                public void onLlpError(dev.jwarp.llp.TerminateCode code, boolean mayAnswer, long nowNanos) {
                    super.onLlpError(code, mayAnswer, nowNanos);
                    lower.close();
                }
            };
            uppers.add(upper);
            c.accept(OFFER, upper);
        };
        try (Transport.Listener listener = server.listen(anyPort(), 10, handler)) {
            String good = Vectors.byId("OP-SEND").text("hex");
            for (String attack : List.of("ffff41", good + "ff", good.substring(0, 40) + "00" + good.substring(42))) {
                RawPeer peer = started(listener);
                peer.say(attack).fin();
                assertThat(whileDriving(peer::hearTheEnd)).isEmpty();
                peer.close();
            }
            RawPeer resetting = started(listener);
            resetting.say(good).reset();
            until(() -> uppers.size() == 4 && uppers.get(3).events.contains("closed RESET"));
            until(() -> uppers.get(2).events.contains("closed GRACEFUL"));
            assertThat(uppers.get(0).events).endsWith("closed TRUNCATED");
            assertThat(uppers.get(1).events).endsWith("closed TRUNCATED");
            assertThat(uppers.get(2).events).contains("llp error MPA_CRC, no answer allowed");
            assertThat(count(server, TcpCounter.TRUNCATED)).isEqualTo(2);
            assertThat(count(server, TcpCounter.CRC_MISMATCH)).isEqualTo(1);
            assertThat(count(server, TcpCounter.RESET)).isEqualTo(1);
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("receives the data that a peer sent before its reset, although a write fails first")
    void lastWords() throws Exception {
        Transport server = open();
        RecordingHandler handler = new RecordingHandler();
        RecordingUpper upper = new RecordingUpper();
        handler.onRequest = c -> c.accept(OFFER, upper);
        try (Transport.Listener listener = server.listen(anyPort(), 10, handler)) {
            String good = Vectors.byId("OP-SEND").text("hex");
            RawPeer peer = started(listener);
            peer.say(good);
            until(() -> upper.received.size() == 1);
            peer.say(good).reset();
            upper.send(random(100));
            until(() -> upper.events.contains("closed RESET"));
            assertThat(upper.received).hasSize(2);
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("detects at once that the peer reset a connection after ending its direction")
    void resetAfterTheEnd() throws Exception {
        Transport server = open();
        RecordingHandler handler = new RecordingHandler();
        RecordingUpper upper = new RecordingUpper();
        handler.onRequest = c -> c.accept(OFFER, upper);
        try (Transport.Listener listener = server.listen(anyPort(), 10, handler)) {
            RawPeer peer = started(listener);
            peer.say(Vectors.byId("OP-SEND").text("hex")).fin();
            until(() -> upper.events.contains("peer closed"));
            peer.reset();
            until(() -> {
                upper.send(random(100)); // the system may still accept the first one
                return upper.events.stream().anyMatch(event -> event.startsWith("closed"));
            });
            assertThat(upper.events).endsWith("closed RESET");
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("survives a flood of connections: refuses and counts the excess, and serves the others")
    void flood() throws Exception {
        Transport server = open("jwarp.tcp.max-connections", "20", "jwarp.tcp.max-connections-per-source", "20");
        RecordingHandler handler = new RecordingHandler();
        handler.onRequest = c -> c.accept(OFFER, new Echo());
        try (Transport.Listener listener = server.listen(anyPort(), 200, handler)) {
            RecordingUpper early = new RecordingUpper();
            connect(open(), listener.localAddress(), early, new RecordingHandler());
            until(() -> early.lower != null);
            List<RawPeer> peers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                try {
                    peers.add(RawPeer.connect(listener.localAddress()));
                } catch (java.net.SocketException e) {
                    assertThat(e).isExactlyInstanceOf(java.net.SocketException.class); // reset as soon as it was there
                }
                poll();
            }
            until(() -> count(server, TcpCounter.REFUSED_AT_LIMIT) == 81);
            early.send(random(100));
            until(() -> early.received.size() == 1);
            for (RawPeer peer : peers) {
                peer.close();
            }
            until(() -> count(server, TcpCounter.START_CLOSED_BY_PEER) == 19);
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("leaves connections for others if one source requests all of them")
    void floodFromOneSource() throws Exception {
        Transport server = open("jwarp.tcp.max-connections", "8");
        RecordingHandler handler = new RecordingHandler();
        handler.onRequest = c -> c.accept(OFFER, new Echo());
        try (Transport.Listener listener = server.listen(anyPort(), 200, handler)) {
            List<RawPeer> peers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                try {
                    peers.add(RawPeer.connect(listener.localAddress()));
                } catch (java.net.SocketException e) {
                    assertThat(e).isExactlyInstanceOf(java.net.SocketException.class);
                }
                poll();
            }
            until(() -> count(server, TcpCounter.REFUSED_AT_SOURCE_LIMIT) == 14);
            RecordingUpper other = new RecordingUpper();
            open().connect(
                            listener.localAddress(),
                            new InetSocketAddress("127.0.0.2", 0),
                            OFFER,
                            TIMEOUT_NANOS,
                            other,
                            new RecordingHandler());
            until(() -> other.lower != null);
            for (RawPeer peer : peers) {
                peer.close();
            }
            until(() -> count(server, TcpCounter.START_CLOSED_BY_PEER) == 6);
            serves(server, listener, handler);
        }
    }

    @Test
    @DisplayName("also limits outgoing connections")
    void limitOfConnections() {
        Transport server = open();
        Transport clients = open("jwarp.tcp.max-connections", "1");
        Pair first = new Pair(clients, server);
        RecordingHandler handler = new RecordingHandler();
        try (Transport.Listener listener = server.listen(anyPort(), 10, new RecordingHandler())) {
            connect(clients, listener.localAddress(), new RecordingUpper(), handler);
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("failed LIMIT_REACHED");
            assertThat(handler.sentences.get(0)).contains("jwarp.tcp.max-connections");
            first.client.abort();
            until(() -> connections(clients) == 0);
            RecordingUpper again = new RecordingUpper();
            RecordingHandler accepting = new RecordingHandler();
            accepting.onRequest = c -> c.accept(OFFER, new Echo());
            try (Transport.Listener other = server.listen(anyPort(), 10, accepting)) {
                connect(clients, other.localAddress(), again, handler);
                until(() -> again.lower != null);
            }
        }
    }
}
