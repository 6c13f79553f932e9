package dev.jwarp.tools.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
    /** Another group for each test: other programs of this host may use messages, too. */
    private final String group = "239.192." + ThreadLocalRandom.current().nextInt(1, 255) + ".9:"
            + ThreadLocalRandom.current().nextInt(20_000, 30_000);

    private String[] command(String words) {
        List<String> all = new ArrayList<>(List.of("message", "--group", group, "--interface", "lo"));
        all.addAll(List.of(words.split(" ")));
        return all.toArray(String[]::new);
    }

    private Run run(String words) {
        return Run.of(command(words));
    }

    private Run.Background server(String words) {
        Run.Background server = Run.inBackground(command(words));
        await().until(() -> server.run().out().contains("service 7 is at") || server.ended());
        assertThat(server.ended()).as(server.run().toString()).isFalse();
        return server;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc", "rd", "ud"})
    @DisplayName("calls a service by its id, short and long, without an address")
    void calls(String carrier) throws Exception {
        try (Run.Background server = server("serve 7 --carrier " + carrier)) {
            Run text = run("call 7 hello world");
            assertThat(text.status()).as(text.toString()).isZero();
            assertThat(text.out()).contains("11 B from service 7 in").contains(": hello world");
            Run more = run("call 7 -S 100K -C 3");
            assertThat(more.status()).as(more.toString()).isZero();
            assertThat(more.out())
                    .contains("--- service 7 statistics ---")
                    .contains("3 messages, 307200 bytes, 0 failed")
                    .contains("rtt min/avg/p50/p99/max");
            Run sent = run("send 7 -S 5000");
            assertThat(sent.status()).as(sent.toString()).isZero();
            await().until(() -> server.run().out().contains("long message of 5000 bytes from service"));
            assertThat(server.run().out()).contains("short message of 11 bytes from service");
        }
    }

    @Test
    @DisplayName("a short message is sent before the command ends")
    void send() throws Exception {
        Run.Background server = server("serve 7 -C 1");
        Run sent = run("send 7 hello");
        assertThat(sent.status()).as(sent.toString()).isZero();
        Run served = server.await();
        assertThat(served.status()).isZero();
        assertThat(served.out()).contains(": hello").contains("1 messages, 5 bytes, 0 failed");
    }

    @Test
    @DisplayName("says where a service is, and which there are; as JSON, too")
    void directory() throws Exception {
        try (Run.Background server = server("serve 7 --carrier rc,ud")) {
            Run found = run("resolve 7");
            assertThat(found.status()).as(found.toString()).isZero();
            assertThat(found.out()).startsWith("service 7 is at ").contains("(RC, UD)");
            Run all = run("services --json");
            assertThat(all.status()).as(all.toString()).isZero();
            JsonNode services = new ObjectMapper().readTree(all.out()).path("result");
            assertThat(services).hasSize(1);
            assertThat(services.get(0).path("service").asInt()).isEqualTo(7);
            assertThat(services.get(0).path("carriers")).hasSize(2);
        }
        Run none = run("resolve 7 --timeout 1");
        assertThat(none.status()).as(none.toString()).isNotZero();
        assertThat(run("services").err()).contains("no service has answered");
    }

    @Test
    @DisplayName("finds services by a table")
    void table() throws Exception {
        String table = "7=127.0.0.1:" + ThreadLocalRandom.current().nextInt(10_000, 20_000);
        try (Run.Background server = Run.inBackground("message", "serve", "7", "--table", table)) {
            await().until(() -> server.run().out().contains("service 7 is at"));
            Run text = Run.of("message", "call", "7", "hello", "--table", table);
            assertThat(text.status()).as(text.toString()).isZero();
            assertThat(Run.of("message", "call", "8", "hello", "--table", table).err())
                    .contains("The directory has no service 8");
        }
    }

    @Test
    @DisplayName("a loop of calls reports those that fail, and finds a service that comes up elsewhere")
    void migration() throws Exception {
        Run.Background loop;
        try (Run.Background first = server("serve 7 --carrier rc")) {
            loop = Run.inBackground(command("call 7 hello -C 0 -i 0.02 --timeout 1 --carrier rc"));
            await().until(() -> loop.run().out().contains("hello"));
        }
        await().until(() -> loop.run().err().contains("ervice 7"));
        int before = loop.run().out().length();
        try (Run.Background second = server("serve 7 --carrier rc")) {
            await().until(() -> loop.run().out().length() > before);
            loop.interrupt();
            assertThat(loop.await().out()).contains("--- service 7 statistics ---");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "call 7",
                "call 7 hello -S 5",
                "serve 7 hello",
                "services 7",
                "call 65536 hello",
                "call 7 hello -C -1",
                "call 7 hello --table 7=127.0.0.1:7200",
                "shout 7"
            })
    @DisplayName("refuses a wrong command line with a sentence")
    void usage(String words) {
        Run wrong = run(words);
        assertThat(wrong.status()).as(wrong.toString()).isEqualTo(2);
        assertThat(wrong.err()).startsWith("error: ");
    }
}
