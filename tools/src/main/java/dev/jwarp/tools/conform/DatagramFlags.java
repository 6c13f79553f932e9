package dev.jwarp.tools.conform;

import dev.jwarp.conformance.datagram.DatagramDevice;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of {@code jwarp conform} for datagrams. */
final class DatagramFlags {
    @Option(
            names = "--datagram",
            description = "Test datagram-iWARP instead of iWARP over TCP; the device at --peer is a datagram target.")
    private boolean datagram;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description =
                    "With --datagram: also test authenticated envelopes, with the keys in this file, which the target"
                            + " has as jwarp.udp.keys. Without --keys those cases are skipped.")
    private @Nullable Path keys;

    /** {@return the device behind a datagram target, once for each parallel case} */
    List<DatagramDevice> devices(InetSocketAddress target, int jobs) {
        return Collections.nCopies(jobs, new DatagramDevice(target, ring()));
    }

    private @Nullable KeyRing ring() {
        try {
            return keys == null ? null : KeyRing.read(keys);
        } catch (IllegalArgumentException e) {
            throw ToolFailure.usage("--keys " + e.getMessage());
        }
    }

    /** Rejects keys that have no effect or cannot be read. */
    void check(boolean self) {
        if (keys != null && (self || !datagram)) {
            throw ToolFailure.usage(
                    self
                            ? "--keys has no effect with --self, which has its own keys: leave one of them out"
                            : "--keys is for --datagram: only datagrams have envelopes");
        }
        ring();
    }

    /** Tests jwarp's own datagrams. */
    static List<Result> examine(
            RdmaProvider provider, Console console, int jobs, List<TestCase> cases, SelfExamination.Examiner examiner)
            throws InterruptedException, IOException {
        List<TestCase> own =
                cases.stream().filter(c -> c.device() == Role.DATAGRAM).toList();
        try (SelfKeys keys = new SelfKeys();
                DatagramTarget target = new DatagramTarget(DatagramLink.device(provider), keys.settings(), console)) {
            InetSocketAddress at = target.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return examiner.run(own, Collections.nCopies(jobs, new DatagramDevice(at, keys.ring())));
        }
    }

    /** {@return whether only datagram-iWARP is tested} */
    boolean only() {
        return datagram;
    }

    /**
     * {@return whether cases for devices in this role are run}
     *
     * @param listens whether the device listens, if it uses TCP
     * @param all whether the cases of every role are wanted
     */
    boolean takes(Role role, boolean listens, boolean all) {
        if (datagram || role == Role.DATAGRAM) {
            return role == Role.DATAGRAM && (datagram || all);
        }
        return all || (role == Role.RESPONDER) == listens;
    }

    /** A file with new keys, for each algorithm one, for target and tester of {@code --self}. Closing deletes it. */
    static final class SelfKeys implements AutoCloseable {
        private static final int SECRET = 32;

        private final Path file;

        SelfKeys() throws IOException {
            // Only the owner can read a temporary file.
            file = Files.createTempFile("jwarp-keys", ".txt");
            Files.writeString(
                    file, "1 send " + secret() + " any aes-128-gcm\n2 receive " + secret() + " any hmac-sha-256\n");
        }

        private static String secret() {
            byte[] secret = new byte[SECRET];
            new SecureRandom().nextBytes(secret);
            return "hex:" + HexFormat.of().formatHex(secret);
        }

        /** {@return the settings of the target} */
        Map<String, String> settings() {
            return Map.of(DatagramSession.KEYS, file.toString());
        }

        /** {@return the keys for the tester} */
        KeyRing ring() {
            return KeyRing.read(file);
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
        }
    }
}
