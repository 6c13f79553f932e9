package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.commons.net.ftp.FTP;
import org.apache.commons.net.ftp.FTPClient;
import org.apache.ftpserver.FtpServer;
import org.apache.ftpserver.FtpServerFactory;
import org.apache.ftpserver.listener.Listener;
import org.apache.ftpserver.listener.ListenerFactory;
import org.apache.ftpserver.usermanager.impl.BaseUser;
import org.apache.ftpserver.usermanager.impl.WritePermission;

/**
 * Apache's FTP server on MINA, and the client of Commons Net: files are sent and fetched over data connections that the
 * client makes (passive) and that the server makes (active). Control connections are channels at the server; all others
 * are sockets of {@code java.net}. It does not use jwarp's API.
 */
public final class FtpFiles {
    private static final int PIECE = 64 * 1024;
    private static final int PATIENCE_MILLIS = 300_000;
    private static final String NAME = "someone";

    private FtpFiles() {}

    /**
     * Throws if received data differ from the sent data.
     *
     * @param arguments a folder, then lengths of files in MiB
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        FtpServerFactory factory = new FtpServerFactory();
        ListenerFactory listeners = new ListenerFactory();
        listeners.setServerAddress("127.0.0.1");
        listeners.setPort(0);
        Listener listener = listeners.createListener();
        factory.addListener("default", listener);
        BaseUser user = new BaseUser();
        user.setName(NAME);
        user.setPassword(NAME);
        user.setHomeDirectory(folder.toString());
        user.setAuthorities(List.of(new WritePermission()));
        factory.getUserManager().save(user);
        FtpServer server = factory.createServer();
        server.start();
        try {
            for (boolean passive : new boolean[] {true, false}) {
                FTPClient client = new FTPClient();
                client.setConnectTimeout(PATIENCE_MILLIS);
                client.setDataTimeout(java.time.Duration.ofMillis(PATIENCE_MILLIS));
                client.connect("127.0.0.1", listener.getPort());
                client.setSoTimeout(PATIENCE_MILLIS);
                done(client, client.login(NAME, NAME));
                done(client, client.setFileType(FTP.BINARY_FILE_TYPE));
                if (passive) {
                    client.enterLocalPassiveMode();
                }
                for (int i = 1; i < arguments.length; i++) {
                    int length = Integer.parseInt(arguments[i]) << 20;
                    String sum = thereAndBack(client, folder, length);
                    System.out.println(
                            (length >> 20) + " MiB, " + (passive ? "passive" : "active") + ", SHA-256 " + sum);
                }
                done(client, client.logout());
                client.disconnect();
            }
        } finally {
            server.stop();
        }
    }

    private static void done(FTPClient client, boolean is) throws IOException {
        if (!is) {
            throw new IOException("the server says " + client.getReplyString());
        }
    }

    private static String thereAndBack(FTPClient client, Path folder, int length) throws Exception {
        MessageDigest sent = MessageDigest.getInstance("SHA-256");
        try (InputStream body = new DigestInputStream(new Numbers(length), sent)) {
            done(client, client.storeFile("file", body));
        }
        String sum = HexFormat.of().formatHex(sent.digest());
        MessageDigest stored = MessageDigest.getInstance("SHA-256");
        try (InputStream file = Files.newInputStream(folder.resolve("file"))) {
            file.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), stored));
        }
        MessageDigest came = MessageDigest.getInstance("SHA-256");
        done(client, client.retrieveFile("file", new DigestOutputStream(OutputStream.nullOutputStream(), came)));
        for (MessageDigest digest : List.of(stored, came)) {
            String is = HexFormat.of().formatHex(digest.digest());
            if (!is.equals(sum)) {
                throw new IOException(length + " bytes were sent with SHA-256 " + sum + ", and "
                        + (digest == stored ? "stored" : "came back") + " with " + is);
            }
        }
        done(client, client.deleteFile("file"));
        return sum;
    }

    /** A given number of pseudo-random bytes, the same each time. */
    private static final class Numbers extends InputStream {
        private final Random random;
        private final byte[] piece = new byte[PIECE];
        private int left;
        private int at = PIECE;

        Numbers(int length) {
            random = new Random(length);
            left = length;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (left == 0) {
                return -1;
            }
            if (at == PIECE) {
                random.nextBytes(piece);
                at = 0;
            }
            int count = Math.min(Math.min(length, left), PIECE - at);
            System.arraycopy(piece, at, into, offset, count);
            at += count;
            left -= count;
            return count;
        }
    }
}
