package dev.jwarp.rnic.stat;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/** Arbitrary bytes on the statistics socket of a process: the client returns rows, or fails with a sentence. */
public class StatClientFuzzTest {
    private static final Set<RdmaErrorCode> SAID =
            EnumSet.of(RdmaErrorCode.PROTOCOL_MISMATCH, RdmaErrorCode.CLOSED_BY_PEER, RdmaErrorCode.NOT_FOUND);
    private static final int MOST = 32_768;

    /** The sending end; one for the life of the JVM. */
    private static final class Told {
        private static final Told ONE = new Told();

        private final StatClient client;
        private volatile byte[] octets = {};

        private Told() {
            try {
                Path base = Files.createTempDirectory("jwarp-fuzz");
                StatFolder folder = new StatFolder(base, StatFolder.userOfThisProcess());
                folder.prepare();
                Path socket = folder.newSocket(ProcessHandle.current().pid(), new SecureRandom());
                ServerSocketChannel server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
                socket.toFile().deleteOnExit();
                client = new StatClient(base, Patience.MILLIS);
                Thread teller = new Thread(() -> tell(server), "jwarp-fuzz-teller");
                teller.setDaemon(true);
                teller.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void tell(ServerSocketChannel server) {
            while (server.isOpen()) {
                try (SocketChannel reader = server.accept()) {
                    ByteBuffer rest = ByteBuffer.wrap(octets);
                    while (rest.hasRemaining()) {
                        reader.write(rest);
                    }
                } catch (IOException e) {
                    // The reader has closed the connection.
                }
            }
        }
    }

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > MOST) {
            return;
        }
        Told.ONE.octets = input;
        try {
            Observation seen = Told.ONE.client.observe(ProcessHandle.current().pid());
            assertThat(seen.rows()).isNotEmpty();
        } catch (RdmaException e) {
            assertThat(e.code()).as(e.getMessage()).isIn(SAID);
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
