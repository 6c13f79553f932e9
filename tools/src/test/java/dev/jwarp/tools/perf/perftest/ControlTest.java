package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Console;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ControlTest {
    private static final Map<String, String> THREADED = Map.of("jwarp.progress", "threaded");
    private static final String SECOND = "5.93";

    /** A thread of the stack places the second message, or finds no receive for it, while the server reads the first. */
    @Test
    void a_message_is_read_before_the_peer_can_write_another_over_it() {
        Console console = Run.later("server").console();
        try (Context context = RdmaProvider.load().devices().get(0).open(THREADED);
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Link client = Link.to(listening.address(), null, context, console, Control.DEPTHS)) {
            MemoryRegion octets = client.allocate(2 * VersionText.LENGTH);
            VersionText.write(octets.buffer().slice(0, VersionText.LENGTH), VersionText.OURS);
            VersionText.write(octets.buffer().slice(VersionText.LENGTH, VersionText.LENGTH), SECOND);
            Thread speaker = new Thread(() -> sayBoth(client, octets), "speaker");
            speaker.start();
            Link link = Link.from(Objects.requireNonNull(listening.next(Ends.LIMIT)), console, Control.DEPTHS);
            try (Control server = new Control(link, console, false, Ends.settings(Program.WRITE_BW, 1, 64))) {
                link.accept(ConnectionParameters.DEFAULT);

                String heard = server.swap(
                        answer -> VersionText.write(answer, VersionText.OURS),
                        VersionText.LENGTH,
                        VersionText::fault,
                        message -> readLate(link, message),
                        "version of perftest");

                assertThat(heard).isEqualTo(VersionText.OURS);
            }
        }
    }

    /** Without waiting for an answer. */
    private static void sayBoth(Link client, MemoryRegion octets) {
        client.connect(ConnectionParameters.DEFAULT, Ends.LIMIT);
        for (int at = 0; at < 2 * VersionText.LENGTH; at += VersionText.LENGTH) {
            client.queuePair().postSend(new SendWorkRequest().add(octets, at, VersionText.LENGTH));
        }
    }

    private static String readLate(Link link, ByteBuffer message) {
        await().atMost(Ends.LIMIT)
                .until(() -> link.queuePair().state() == QueuePairState.ERR
                        || VersionText.read(message).equals(SECOND));
        return VersionText.read(message);
    }
}
