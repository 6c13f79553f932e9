package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Vectors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of every TCP transport over real sockets; each driver has a class that runs all of them. */
public abstract class TransportTest extends TransportBench {
    /** Creates the tests. */
    protected TransportTest() {}

    @Test
    @DisplayName("carries ULPDUs of every size both ways, in order, and closes gracefully")
    void echo() {
        Echo echo = new Echo();
        Pair pair = new Pair(open(), open(), new RecordingUpper(), echo);
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            byte[] ulpdu = random(1 + ThreadLocalRandom.current().nextInt(i % 50 == 0 ? 64_768 : 2000));
            sent.add(ulpdu);
            pair.client.send(ulpdu);
        }
        until(() -> pair.client.received.size() == sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertThat(pair.client.received.get(i)).isEqualTo(sent.get(i));
        }
        pair.client.close();
        until(() -> pair.server.events.contains("peer closed"));
        pair.server.close();
        until(() -> pair.client.events.contains("closed GRACEFUL"));
        until(() -> pair.server.events.contains("closed GRACEFUL"));
        assertThat(pair.client.events).doesNotContain("peer closed");
    }

    @Test
    @DisplayName("makes large FPDUs on the loopback, whose MTU is large")
    void loopbackMulpdu() {
        Pair pair = new Pair(open(), open());
        assertThat(pair.client.lower.mulpdu()).isGreaterThan(60_000);
        assertThat(pair.client.lower.ordered()).isTrue();
    }

    @Test
    @DisplayName("passes private data and read depths, and both sides know the peer's address")
    void startParameters() {
        Pair pair = new Pair(open(), open());
        until(() -> pair.clientHandler.events.size() == 1 && pair.serverHandler.events.size() == 2);
        assertThat(pair.clientHandler.events).containsExactly("established ird=8 ord=8 'hi'");
        assertThat(pair.serverHandler.events)
                .containsExactly("request ird=8 ord=8 'hi'", "established ird=8 ord=8 'hi'");
        LlpConnection server = (LlpConnection) pair.server.lower;
        assertThat(pair.connection.localAddress()).isEqualTo(server.remoteAddress());
        assertThat(pair.connection.remoteAddress()).isEqualTo(server.localAddress());
    }

    @Test
    @DisplayName("carries a long stream through small socket buffers without loss")
    void longStream() {
        Transport small = open("jwarp.tcp.send-buffer", "8192", "jwarp.tcp.receive-buffer", "8192");
        Pair pair = new Pair(small, small);
        byte[] ulpdu = random(60_000);
        for (int i = 0; i < 100; i++) {
            pair.client.toSend.add(ulpdu);
        }
        pair.client.lower.doorbell();
        until(() -> pair.server.received.size() == 100);
        assertThat(pair.server.received).allSatisfy(octets -> assertThat(octets).isEqualTo(ulpdu));
        until(() -> pair.client.events.contains("transmitted"));
    }

    @Test
    @DisplayName("carries ULPDUs with Markers both ways and without CRC")
    void markers() {
        Echo echo = new Echo();
        Transport transport = open("jwarp.mpa.markers", "on", "jwarp.mpa.crc", "off");
        Pair pair = new Pair(transport, transport, new RecordingUpper(), echo);
        byte[] ulpdu = random(50_000);
        for (int i = 0; i < 20; i++) {
            pair.client.send(ulpdu);
        }
        until(() -> pair.client.received.size() == 20);
        assertThat(pair.client.received).allSatisfy(octets -> assertThat(octets).isEqualTo(ulpdu));
    }

    @Test
    @DisplayName("carries ULPDUs of every size between two sides without the CRC field")
    void withoutCrcField() {
        Echo echo = new Echo();
        Transport transport = open("jwarp.mpa.crc", "off", "jwarp.mpa.crc-field", "none");
        Pair pair = new Pair(transport, transport, new RecordingUpper(), echo);
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] ulpdu = random(1 + ThreadLocalRandom.current().nextInt(i % 20 == 0 ? 64_768 : 2000));
            sent.add(ulpdu);
            pair.client.send(ulpdu);
        }
        until(() -> pair.client.received.size() == sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertThat(pair.client.received.get(i)).isEqualTo(sent.get(i));
        }
    }

    @Test
    @DisplayName("refuses a peer of revision 0, and accepts it if a setting says so")
    void revisionZero() throws Exception {
        String request = Vectors.byId("MPA-REQ1-PLAIN").text("hex").replaceFirst("4001", "4000");
        for (boolean taken : new boolean[] {false, true}) {
            Transport transport = open("jwarp.mpa.accept-revision-zero", taken ? "on" : "off");
            RecordingHandler handler = new RecordingHandler();
            RecordingUpper upper = new RecordingUpper();
            handler.onRequest = c -> c.accept(OFFER, upper);
            try (Transport.Listener listener = transport.listen(anyPort(), 10, handler);
                    RawPeer peer = RawPeer.connect(listener.localAddress())) {
                peer.say(request);
                String reply = whileDriving(() -> peer.hear(18));
                assertThat(reply).isEqualTo(taken ? "4d504120494420526570204672616d654000" : "");
                assertThat(count(transport, TcpCounter.REVISION_REFUSED)).isEqualTo(taken ? 0 : 1);
                if (taken) {
                    peer.say("OP-SEND");
                    until(() -> upper.received.size() == 1);
                }
            }
        }
    }

    @Test
    @DisplayName("serves two hundred connections at once")
    void manyConnections() {
        Transport servers = open();
        Transport clients = open();
        RecordingHandler handler = new RecordingHandler();
        handler.onRequest = c -> c.accept(OFFER, new Echo());
        try (Transport.Listener listener = servers.listen(anyPort(), 500, handler)) {
            List<RecordingUpper> uppers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                RecordingUpper upper = new RecordingUpper();
                upper.toSend.add(random(100 + i));
                uppers.add(upper);
                connect(clients, listener.localAddress(), upper, new RecordingHandler());
            }
            until(() -> uppers.stream().allMatch(u -> u.received.size() == 1));
            for (int i = 0; i < 200; i++) {
                assertThat(uppers.get(i).received.get(0)).hasSize(100 + i);
            }
        }
    }

    // ---- failures to connect and to listen

    @Test
    @DisplayName("reports that no program listens at an address")
    void refused() throws Exception {
        try (HeldPort port = new HeldPort()) {
            InetSocketAddress unused = port.address();
            RecordingHandler handler = new RecordingHandler();
            connect(open(), unused, new RecordingUpper(), handler);
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("failed REFUSED");
            assertThat(handler.sentences.get(0)).contains(String.valueOf(unused.getPort()), "no program listens");
        }
    }

    @Test
    @DisplayName("reports that the host is unknown")
    void unknownHost() {
        RecordingHandler handler = new RecordingHandler();
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 7174);
        connect(open(), unknown, new RecordingUpper(), handler);
        until(() -> !handler.events.isEmpty());
        assertThat(handler.events).containsExactly("failed UNREACHABLE");
        assertThat(handler.sentences.get(0)).contains("no-such-host.invalid");
    }

    @Test
    @DisplayName("reports that it cannot connect from an address of another host")
    void foreignLocalAddress() throws Exception {
        RecordingHandler handler = new RecordingHandler();
        InetSocketAddress foreign = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 0);
        open().connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 9),
                        foreign,
                        OFFER,
                        TIMEOUT_NANOS,
                        new RecordingUpper(),
                        handler);
        until(() -> !handler.events.isEmpty());
        assertThat(handler.events).containsExactly("failed ADDRESS_NOT_AVAILABLE");
        assertThat(handler.sentences.get(0)).contains("192.0.2.1");
    }

    @Test
    @DisplayName("reports that it cannot listen at an address of another host")
    void foreignListener() {
        for (int port : new int[] {0, 7174}) {
            InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", port);
            assertThatThrownBy(() -> open().listen(foreign, 10, new RecordingHandler()))
                    .isInstanceOfSatisfying(
                            LlpException.class,
                            e -> assertThat(e.failure()).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE))
                    .hasMessageContaining("192.0.2.1:" + port);
        }
    }

    @Test
    @DisplayName("reports that it cannot connect from a port in use")
    void busyLocalPort() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            RecordingHandler handler = new RecordingHandler();
            open().connect(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9),
                            (InetSocketAddress) taken.getLocalSocketAddress(),
                            OFFER,
                            TIMEOUT_NANOS,
                            new RecordingUpper(),
                            handler);
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("failed ADDRESS_IN_USE");
        }
    }

    @Test
    @DisplayName("reports that there is no route to a peer")
    void unreachable() {
        RecordingHandler handler = new RecordingHandler();
        connect(open(), new InetSocketAddress("224.0.0.1", 9), new RecordingUpper(), handler); // a group
        until(() -> !handler.events.isEmpty());
        assertThat(handler.events).containsExactly("failed UNREACHABLE");
    }

    @Test
    @DisplayName("connects from the requested address")
    void localAddress() throws Exception {
        Transport server = open();
        RecordingHandler handler = new RecordingHandler();
        try (Transport.Listener listener = server.listen(anyPort(), 10, handler)) {
            InetSocketAddress local = new InetSocketAddress(InetAddress.getByName("127.0.0.7"), 0);
            LlpConnection connection = open().connect(
                            listener.localAddress(),
                            local,
                            OFFER,
                            TIMEOUT_NANOS,
                            new RecordingUpper(),
                            new RecordingHandler());
            until(() -> !handler.events.isEmpty());
            assertThat(connection.localAddress().getAddress()).isEqualTo(local.getAddress());
        }
    }

    @Test
    @DisplayName("reports that a port is in use, and releases its own port on close")
    void busyPort() {
        Transport transport = open();
        InetSocketAddress address;
        try (Transport.Listener listener = transport.listen(anyPort(), 10, new RecordingHandler())) {
            address = listener.localAddress();
            poll();
            assertThatThrownBy(() -> open().listen(address, 10, new RecordingHandler()))
                    .isInstanceOfSatisfying(
                            LlpException.class, e -> assertThat(e.failure()).isEqualTo(LlpFailure.ADDRESS_IN_USE))
                    .hasMessageContaining(String.valueOf(address.getPort()))
                    .hasMessageContaining("another program listens there");
        }
        // A selector releases a closed channel, and its port, only at its next selection.
        Transport another = open();
        await().ignoreException(LlpException.class).until(() -> {
            poll();
            another.listen(address, 10, new RecordingHandler()).close();
            return true;
        });
    }

    @Test
    @DisplayName("fails with a peer that accepts the connection and sends nothing")
    void silentPeer() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            RecordingHandler handler = new RecordingHandler();
            open().connect(
                            (InetSocketAddress) server.getLocalSocketAddress(),
                            null,
                            OFFER,
                            TimeUnit.MILLISECONDS.toNanos(200),
                            new RecordingUpper(),
                            handler);
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("failed TIMED_OUT");
        }
    }

    @Test
    @DisplayName("fails with a peer that has another protocol, or closes")
    void notMpa() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
            RecordingHandler handler = new RecordingHandler();
            Transport transport = open();
            connect(transport, address, new RecordingUpper(), handler);
            try (RawPeer peer = whileDriving(() -> RawPeer.accept(server))) {
                peer.say("HTTP/1.1 400 Bad Request\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                until(() -> handler.events.size() == 1);
            }
            connect(transport, address, new RecordingUpper(), handler);
            whileDriving(() -> RawPeer.accept(server)).close();
            until(() -> handler.events.size() == 2);
            connect(transport, address, new RecordingUpper(), handler);
            whileDriving(() -> RawPeer.accept(server)).reset();
            until(() -> handler.events.size() == 3);
            assertThat(handler.events)
                    .containsExactly("failed BAD_START_FRAME", "failed CLOSED_BY_PEER", "failed CLOSED_BY_PEER");
        }
    }

    @Test
    @DisplayName("connects again with revision 1 if a setting asks for it and the peer knows no other")
    void fallback() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            RecordingHandler handler = new RecordingHandler();
            Transport transport = open("jwarp.mpa.fallback", "on");
            connect(transport, (InetSocketAddress) server.getLocalSocketAddress(), new RecordingUpper(), handler);
            RawPeer first = whileDriving(() -> RawPeer.accept(server));
            assertThat(whileDriving(() -> first.hear(18))).endsWith("5002");
            first.close();
            RawPeer second = whileDriving(() -> RawPeer.accept(server));
            assertThat(whileDriving(() -> second.hear(18))).endsWith("4001");
            second.say("MPA-REP1-OK");
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("established ird=-1 ord=-1 ''");
            assertThat(count(transport, TcpCounter.FALLEN_BACK)).isEqualTo(1);
            second.close();
        }
    }

    @Test
    @DisplayName("reports the reason of a rejection")
    void rejected() {
        Transport transport = open();
        RecordingHandler server = new RecordingHandler();
        server.onRequest = c -> c.reject(new byte[] {'n', 'o'});
        try (Transport.Listener listener = transport.listen(anyPort(), 10, server)) {
            RecordingHandler handler = new RecordingHandler();
            RecordingUpper upper = new RecordingUpper();
            connect(transport, listener.localAddress(), upper, handler);
            until(() -> !handler.events.isEmpty());
            assertThat(handler.events).containsExactly("rejected ird=0 ord=0 'no'");
            assertThat(upper.events).isEmpty();
        }
    }

    // ---- ends

    @Test
    @DisplayName("continues to send after the peer closed its direction")
    void halfClose() {
        Pair pair = new Pair(open(), open()).started();
        pair.server.close();
        until(() -> pair.client.events.contains("peer closed"));
        pair.client.send(random(1000));
        pair.client.close();
        until(() -> pair.client.events.contains("closed GRACEFUL"));
        until(() -> pair.server.events.contains("closed GRACEFUL"));
        assertThat(pair.client.events).contains("transmitted");
    }

    @Test
    @DisplayName("sends all queued output before it closes")
    void drainsBeforeClose() {
        Pair pair = new Pair(open(), open()).started();
        for (int i = 0; i < 200; i++) {
            pair.client.toSend.add(random(50_000));
        }
        pair.client.close();
        until(() -> pair.server.events.contains("peer closed"));
        assertThat(pair.server.received).hasSize(201);
    }

    @Test
    @DisplayName("aborts with a reset, which is reported to the peer")
    void abort() {
        Pair pair = new Pair(open(), open()).started();
        pair.client.abort();
        until(() -> pair.client.events.contains("closed ABORTED"));
        until(() -> pair.server.events.contains("closed RESET"));
    }

    @Test
    @DisplayName("aborts while the peer accepts nothing and the socket is full")
    void abortWhileBlocked() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            RecordingUpper upper = new RecordingUpper();
            Transport transport = open();
            connect(transport, (InetSocketAddress) server.getLocalSocketAddress(), upper, new RecordingHandler());
            try (RawPeer peer = whileDriving(() -> RawPeer.accept(server))) {
                whileDriving(() -> peer.hear(26));
                peer.say("MPA-REP2-CS");
                for (int i = 0; i < 500; i++) {
                    upper.send(new byte[50_000]);
                }
                until(() -> upper.polled.get() > 4);
                upper.abort();
                until(() -> upper.events.contains("closed ABORTED"));
            }
        }
    }

    @Test
    @DisplayName("aborts a peer that accepts no byte")
    void sendTimeout() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            RecordingUpper upper = new RecordingUpper();
            Transport transport = open("jwarp.tcp.stall-timeout", "300");
            connect(transport, (InetSocketAddress) server.getLocalSocketAddress(), upper, new RecordingHandler());
            try (RawPeer peer = whileDriving(() -> RawPeer.accept(server))) {
                whileDriving(() -> peer.hear(26));
                peer.say("MPA-REP2-CS");
                for (int i = 0; i < 500; i++) {
                    upper.send(new byte[50_000]);
                }
                until(() -> upper.events.contains("closed TIMED_OUT"));
                assertThat(count(transport, TcpCounter.SEND_TIMED_OUT)).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("does not wait longer than the linger time for a peer that does not close")
    void linger() throws Exception {
        try (ServerSocket server = RawPeer.listen()) {
            RecordingUpper upper = new RecordingUpper();
            Transport transport = open("jwarp.tcp.linger", "200");
            connect(transport, (InetSocketAddress) server.getLocalSocketAddress(), upper, new RecordingHandler());
            try (RawPeer peer = whileDriving(() -> RawPeer.accept(server))) {
                whileDriving(() -> peer.hear(26));
                peer.say("MPA-REP2-CS");
                until(() -> upper.lower != null);
                upper.close();
                until(() -> upper.events.contains("closed LINGER_EXPIRED"));
                assertThat(whileDriving(peer::hearTheEnd)).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("that is closed aborts its connections, once, and accepts no more work")
    void closeTransport() {
        Transport clients = open();
        Pair pair = new Pair(clients, open()).started();
        clients.close();
        clients.close();
        until(() -> pair.client.events.contains("closed ABORTED"));
        until(() -> pair.server.events.contains("closed RESET"));
        assertThat(pair.client.events.stream().filter(e -> e.startsWith("closed")))
                .hasSize(1);
        assertThatThrownBy(() -> clients.listen(anyPort(), 1, new RecordingHandler()))
                .isInstanceOf(LlpException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> connect(clients, anyPort(), new RecordingUpper(), new RecordingHandler()))
                .isInstanceOf(LlpException.class);
        assertThat(clients.poll()).isFalse();
    }

    // ---- the owner

    @Test
    @DisplayName("fires the timer of the layer above in time")
    void upperTimeout() {
        RecordingUpper upper = new RecordingUpper() {
            @Override
            public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
                super.onUlpdu(buffer, offset, length, nowNanos);
                timeout = nowNanos + TimeUnit.MILLISECONDS.toNanos(20);
            }
        };
        Pair pair = new Pair(open(), open(), new RecordingUpper(), upper);
        pair.client.send(new byte[] {1});
        until(() -> pair.server.events.contains("timeout"));
    }

    /** Without a stack trace, which the driver would log. */
    private static final class ThrownByTest extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ThrownByTest() {
            super("thrown by a test, on purpose", null, false, false);
        }
    }

    @Test
    @DisplayName("aborts the connection whose layer above throws, with its cause, and no other")
    void throwingUpper() {
        Transport server = open();
        Transport client = open();
        RecordingUpper throwing = new RecordingUpper() {
            @Override
            public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
                throw new ThrownByTest();
            }
        };
        Pair bad = new Pair(client, server, new RecordingUpper(), throwing);
        Pair good = new Pair(client, server).started();
        bad.client.send(new byte[] {1});
        until(() -> bad.server.events.contains("closed ABORTED"));
        assertThat(bad.server.events).contains("fault " + new ThrownByTest());
        until(() -> bad.client.events.contains("closed RESET"));
        good.client.send(new byte[] {2});
        until(() -> good.server.received.size() == 2);
        assertThat(count(server, TcpCounter.LAYER_ABOVE_FAILED)).isEqualTo(1);
    }

    private static boolean ended(RecordingUpper upper, RecordingHandler handler) {
        return Stream.concat(upper.events.stream(), handler.events.stream())
                .anyMatch(event -> event.startsWith("closed") || event.startsWith("failed"));
    }

    @Test
    @DisplayName("loses at most one connection, for any exception of any call of the layer above")
    void everyCall() {
        Transport server = open();
        Transport clients = open();
        Pair good = new Pair(clients, server).started();
        Trips trips;
        int at = 0;
        do {
            at++;
            Trips.Kind[] kinds = Trips.Kind.values();
            trips = new Trips(at, at % 2 == 0, kinds[at % kinds.length]);
            lose(server, clients, trips);
            Trips.Kind kind = kinds[at % kinds.length];
            until(() -> connections(server) == 1 && connections(clients) == 1);
            int before = good.server.received.size();
            good.client.send(new byte[] {2});
            until(() -> good.server.received.size() == before + 1);
            assertThat(good.server.events).as("%s at call %d", kind, at).doesNotContain("closed ABORTED");
        } while (trips.tripped());
        assertThat(at).isGreaterThan(10);
    }

    /** A connection that is opened, used and closed, unless something throws before. */
    private void lose(Transport server, Transport clients, Trips trips) {
        Echo echo = new Echo();
        RecordingHandler serving = new RecordingHandler();
        UpperLayer tripping = trips.around(UpperLayer.class, echo);
        serving.onRequest = connection -> connection.accept(OFFER, tripping);
        RecordingUpper client = new RecordingUpper();
        RecordingHandler connecting = new RecordingHandler();
        client.toSend.add(random(20_000));
        client.toSend.add(random(50));
        try (Transport.Listener listener =
                server.listen(anyPort(), 10, trips.around(ConnectionHandler.class, serving))) {
            connect(clients, listener.localAddress(), client, connecting);
            until(() -> client.received.size() == 2 || ended(client, connecting));
            if (!ended(client, connecting)) {
                client.close();
                until(() -> echo.events.contains("peer closed") || ended(client, connecting));
            }
            if (!ended(client, connecting)) {
                echo.close();
            }
            until(() -> ended(client, connecting));
        }
    }

    @Test
    @DisplayName("runs tasks on the owner, at once if the caller is the owner")
    void execute() {
        Pair pair = new Pair(open(), open()).started();
        AtomicReference<String> order = new AtomicReference<>("");
        pair.connection.execute(() -> {
            order.set(order.get() + "a");
            pair.connection.execute(() -> order.set(order.get() + "b"));
            order.set(order.get() + "c");
        });
        until(() -> order.get().equals("abc"));
    }

    @Test
    @DisplayName("reacts to doorbells of any thread")
    void doorbell() {
        Pair pair = new Pair(open(), open()).started();
        whileDriving(() -> {
            pair.client.send(new byte[] {2, 3});
            return null;
        });
        until(() -> pair.server.received.size() == 2);
    }

    @Test
    @DisplayName("captures the traffic in one file for both sides")
    void capture(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("run.pcap");
        Transport client = open("jwarp.tcp.pcap", file.toString());
        Transport server = open("jwarp.tcp.pcap", file.toString());
        Pair pair = new Pair(client, server).started();
        pair.client.close();
        until(() -> pair.server.events.contains("peer closed"));
        pair.server.close();
        until(() -> pair.client.events.contains("closed GRACEFUL"));
        until(() -> pair.server.events.contains("closed GRACEFUL"));
        client.close();
        server.close();
        String octets = new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(octets.split("MPA ID Req Frame", -1)).hasSize(2);
        assertThat(octets.split("MPA ID Rep Frame", -1)).hasSize(2);
        assertThatThrownBy(() -> open(
                        "jwarp.tcp.pcap", folder.resolve("no/such/folder.pcap").toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jwarp.tcp.pcap");
    }

    @Test
    @DisplayName("continues when the capture's disk is full")
    @EnabledOnOs(OS.LINUX)
    void captureOnAFullDisk() throws Exception {
        Transport client = open("jwarp.tcp.pcap", "/dev/full");
        Transport server = open("jwarp.tcp.pcap", "/dev/full");
        Pair pair = new Pair(client, server).started();
        for (int i = 0; i < 200; i++) {
            pair.client.send(new byte[1_000]);
        }
        until(() -> pair.server.received.size() == 201);
        pair.client.close();
        until(() -> pair.server.events.contains("peer closed"));
        pair.server.close();
        until(() -> pair.client.events.contains("closed GRACEFUL"));
    }

    @Test
    @DisplayName("rejects private data that is too long at once")
    void badOffer() {
        StartParameters offer = new StartParameters(1, 1, new byte[600]);
        assertThatThrownBy(
                        () -> open().connect(anyPort(), null, offer, 1, new RecordingUpper(), new RecordingHandler()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
