package example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.*;
import java.security.cert.X509Certificate;
import java.util.*;

/** A key and its self-signed certificate, new for each server. Clients identify the certificate by its fingerprint. */
record Identity(PrivateKey key, X509Certificate certificate) {
    private static final String PASSWORD = "the-file-is-deleted-at-once";

    /** Runs the JDK's keytool: Netty's SelfSignedCertificate needs Bouncy Castle on newer JDKs. */
    static Identity make() throws IOException, GeneralSecurityException, InterruptedException {
        Path folder = Files.createTempDirectory("https"); // accessible to this user only
        Path store = folder.resolve("store.p12");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-alias", "https", "-dname", "CN=example", "-keyalg", "EC"));
        command.addAll(List.of("-groupname", "secp256r1", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", store.toString()));
        try {
            Process keytool =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(keytool.getInputStream().readAllBytes());
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool made no certificate: " + said);
            }
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            PrivateKey key = (PrivateKey) keys.getKey("https", PASSWORD.toCharArray());
            return new Identity(key, (X509Certificate) keys.getCertificate("https"));
        } finally {
            Files.deleteIfExists(store);
            Files.delete(folder);
        }
    }

    String fingerprint() throws GeneralSecurityException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }
}
