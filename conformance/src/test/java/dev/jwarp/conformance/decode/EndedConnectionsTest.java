package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.vectors.MortalJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ended connections need hardly any memory: a capture of days fits into little memory. */
class EndedConnectionsTest {
    private static final int CONNECTIONS = 6000;

    @TempDir
    private Path folder;

    @Test
    @DisplayName("thousands of connections that end in the middle of large messages fit into 64 MiB")
    void thousandsOfConnections() throws Exception {
        String printed =
                MortalJvm.run(folder, List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), Program.class);

        assertThat(printed.strip()).isEqualTo(CONNECTIONS + " connections, " + CONNECTIONS + " messages");
    }

    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            int[] messages = new int[1];
            Messages sums = new Messages(item -> messages[0] += item instanceof Item.Message ? 1 : 0);
            Decoder decoder = new Decoder(Set.of(), null, sums, sums::ended);
            Packets packets = Talked.plain()
                    .i(Segment.write(0xA, 0, new byte[50_000]).last(false))
                    .packets();
            packets.finish(true).finish(false);
            for (int i = 0; i < CONNECTIONS; i++) {
                for (Frame frame : packets.frames()) {
                    decoder.frame(Packets.from(1024 + i, frame));
                }
            }
            decoder.end();
            sums.end();
            System.out.println(CONNECTIONS + " connections, " + messages[0] + " messages");
        }
    }
}
