package dev.jwarp.tools.counterpart;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CounterpartTest {
    @ParameterizedTest(name = "{0} messages of {1} bytes")
    @CsvSource({"10, 100", "1, 1", "100, 70000", "0, 100", "10, 0"})
    @DisplayName("cmatose exchanges messages with itself")
    void cmatoseExchangesMessagesWithItself(int count, int size) throws Exception {
        try (Run.Background server =
                Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0", "-C", "" + count, "-S", "" + size)) {
            Run client = Run.of(
                    "cmatose",
                    "-s",
                    "127.0.0.1",
                    "-p",
                    port(server),
                    "-C",
                    "" + count,
                    "-S",
                    "" + size,
                    "--peer-to-peer");

            int messages = size == 0 ? 0 : count;
            String line =
                    "cmatose: " + messages + " sends, " + messages + " receives of " + size + " bytes, disconnected";
            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out().lines()).containsExactly(line);
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out().lines()).containsExactly(line);
        }
    }

    @Test
    @DisplayName("cmatose takes several connections at once")
    void cmatoseTakesSeveralConnectionsAtOnce() throws Exception {
        try (Run.Background server = Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0", "-c", "3")) {
            Run client = Run.of("cmatose", "-s", "127.0.0.1", "-p", port(server), "-c", "3", "--peer-to-peer");

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out()).contains("30 sends, 30 receives");
            assertThat(server.await().status()).as(server.run().toString()).isZero();
        }
    }

    @Test
    @DisplayName("a server that speaks first gets its turn without peer to peer too")
    void serverThatSpeaksFirstGets() throws Exception {
        try (Run.Background server = Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0")) {
            Run client = Run.of("cmatose", "-s", "127.0.0.1", "-p", port(server));

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(server.await().status()).as(server.run().toString()).isZero();
        }
    }

    @Test
    @DisplayName("a server whose client says nothing ends in time with a hint")
    void serverWhoseClientSaysNothing() throws Exception {
        try (Run.Background server = Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0", "--timeout", "1");
                Run.Background client = Run.inBackground(
                        "cmatose", "-s", "127.0.0.1", "-p", port(server), "-C", "20", "--timeout", "20")) {
            assertThat(server.await().status()).as(server.run().toString()).isEqualTo(1);
            assertThat(server.run().err()).contains("within 1 s; 0 of 10 receives");
            assertThat(client.await().status()).as(client.run().toString()).isEqualTo(1);
            assertThat(client.run().err()).contains("closed the connection after 10 of 20 receives");
        }
    }

    @Test
    @DisplayName("a rejection carries its reason")
    void rejectionCarriesItsReason() throws Exception {
        try (Run.Background server =
                Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0", "--reject", "not today")) {
            Run client = Run.of("cmatose", "-s", "127.0.0.1", "-p", port(server));

            assertThat(client.status()).as(client.toString()).isEqualTo(3);
            assertThat(client.err()).containsIgnoringCase("rejected").contains("not today");
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out()).startsWith("cmatose: rejected 127.0.0.1:");
        }
    }

    @Test
    @DisplayName("messages of the wrong length are noticed")
    void messagesOfWrongLengthAreNoticed() throws Exception {
        try (Run.Background server = Run.inBackground("cmatose", "-b", "127.0.0.1", "-p", "0", "-S", "50")) {
            Run client = Run.of("cmatose", "-s", "127.0.0.1", "-p", port(server), "-S", "100", "--peer-to-peer");

            assertThat(client.status()).as(client.toString()).isEqualTo(1);
            assertThat(client.err()).contains("message 0 has 50 bytes, not 100");
            assertThat(server.await().status()).as(server.run().toString()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("rdma client and rdma server say one thing each")
    void rdmaClientAndRdmaServerSayOneThingEach(String progress) throws Exception {
        try (Run.Background server =
                Run.inBackground("rdma-server", "-b", "127.0.0.1", "-p", "0", "--progress", progress)) {
            Run client = Run.of("rdma-client", "-s", "127.0.0.1", "-p", port(server), "--progress", progress);

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out().lines()).containsExactly("rdma-client: sent 16 bytes, received 16 bytes");
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out().lines()).containsExactly("rdma-server: received 16 bytes, sent 16 bytes");
        }
    }

    @Test
    @DisplayName("a server without client ends in time")
    void serverWithoutClientEndsInTime() {
        Run server = Run.of("rdma-server", "-b", "127.0.0.1", "-p", "0", "--timeout", "0.2");

        assertThat(server.status()).as(server.toString()).isEqualTo(3);
    }
}
