package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PerftestControlTest {
    private static final Map<String, String> THREADED = Map.of("jwarp.progress", "threaded");
    private static final String SECOND = "5.93";

    /** The second message comes while the server reads the first; a thread of the stack places it, if there is a receive. */
    @Test
    @DisplayName("a message is read before the peer can write another over it")
    void messageIsReadBeforePeerCanWriteAnotherOverIt() {
        Console console = Run.later("server").console();
        try (Context context = RdmaProvider.load().devices().get(0).open(THREADED);
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Link client = Link.to(listening.address(), null, context, console, PerftestControl.DEPTHS)) {
            MemoryRegion first = version(client, VersionText.OURS);
            MemoryRegion second = version(client, SECOND);
            CompletableFuture<Void> connecting = CompletableFuture.runAsync(
                    () -> {
                        client.connect(ConnectionParameters.DEFAULT, Ends.LIMIT);
                        say(client, first);
                    },
                    OwnThread.EACH);
            Link link = Link.from(Objects.requireNonNull(listening.next(Ends.LIMIT)), console, PerftestControl.DEPTHS);
            try (PerftestControl server =
                    new PerftestControl(link, console, false, Ends.settings(PerftestProgram.WRITE_BW, 1, 64))) {
                link.accept(ConnectionParameters.DEFAULT);

                String heard = server.swap(
                        answer -> VersionText.write(answer, VersionText.OURS),
                        VersionText.LENGTH,
                        VersionText::fault,
                        message -> {
                            connecting.join();
                            say(client, second);
                            await().until(() -> link.queuePair().state() == QueuePairState.ERR
                                    || VersionText.read(message).equals(SECOND));
                            return VersionText.read(message);
                        },
                        "version of perftest");

                assertThat(heard).isEqualTo(VersionText.OURS);
            }
        }
    }

    private static MemoryRegion version(Link client, String version) {
        MemoryRegion memory = client.allocate(VersionText.LENGTH);
        VersionText.write(memory.buffer(), version);
        return memory;
    }

    private static void say(Link client, MemoryRegion message) {
        client.queuePair().postSend(new SendWorkRequest().add(message));
    }
}
