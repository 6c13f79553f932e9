package dev.jwarp.tools.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The width of help: that of the terminal, within limits. It is determined when help is first printed. */
public final class Terminal {
    /** The width without a terminal, and the limit on wide terminals: longer lines are hard to read. */
    public static final int WIDEST = 100;
    /** The least width that picocli accepts. */
    private static final int NARROWEST = 55;

    private static final long PATIENCE_SECONDS = 2;

    private final Map<String, String> environment;
    private int columns;

    public Terminal(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * {@return the value of the variable COLUMNS, else the width of the terminal at standard output or standard error}
     */
    public int columns() {
        if (columns == 0) {
            int said = number(environment.getOrDefault("COLUMNS", ""));
            int found = said > 0 ? said : ofDevice();
            columns = found > 0 ? Math.max(NARROWEST, Math.min(WIDEST, found)) : WIDEST;
        }
        return columns;
    }

    private static int ofDevice() {
        for (int descriptor = 1; descriptor <= 2; descriptor++) {
            Path device = device(descriptor);
            if (device != null) {
                return columns(device);
            }
        }
        return 0;
    }

    /**
     * {@return the terminal that a descriptor of this process refers to; null if there is none or the system does not
     * tell}
     */
    private static @Nullable Path device(int descriptor) {
        try {
            Path device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return device.startsWith("/dev/pts") || device.toString().startsWith("/dev/tty") ? device : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static int columns(Path device) {
        try {
            Process stty = new ProcessBuilder("stty", "-F", device.toString(), "size")
                    .redirectError(Redirect.DISCARD)
                    .start();
            String rowsAndColumns = new String(stty.getInputStream().readAllBytes(), US_ASCII).strip();
            return stty.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    ? number(rowsAndColumns.substring(rowsAndColumns.indexOf(' ') + 1))
                    : 0;
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    }
}
