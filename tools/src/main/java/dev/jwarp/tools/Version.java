package dev.jwarp.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Which jwarp this is; the build writes it into a resource. */
final class Version implements IVersionProvider {
    /** Such as {@code 0.1.0}. */
    static final String NUMBER = read();

    Version() {}

    @Override
    public String[] getVersion() {
        return new String[] {"jwarp " + NUMBER};
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }
}
