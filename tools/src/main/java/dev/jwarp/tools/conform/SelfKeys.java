package dev.jwarp.tools.conform;

import dev.jwarp.conformance.datagram.KeyRing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/** A file with one new key, for jwarp's own examination: target and tester are given it, and it is deleted when they have ended. */
final class SelfKeys implements AutoCloseable {
    private static final int SECRET = 32;

    private final Path file;

    SelfKeys() throws IOException {
        byte[] secret = new byte[SECRET];
        new SecureRandom().nextBytes(secret);
        // A temporary file is its owner's alone.
        file = Files.createTempFile("jwarp-keys", ".txt");
        Files.write(
                file,
                ("1 send hex:" + HexFormat.of().formatHex(secret) + " any\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Settings of the target. */
    Map<String, String> settings() {
        return Map.of(DatagramSession.KEYS, file.toString());
    }

    /** For the tester. */
    KeyRing ring() {
        return KeyRing.read(file);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
