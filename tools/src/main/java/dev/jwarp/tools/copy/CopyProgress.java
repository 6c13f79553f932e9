package dev.jwarp.tools.copy;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.PeerText;
import dev.jwarp.tools.cli.Quantities;
import java.nio.file.Path;
import java.util.Locale;

/** Progress of a copy: a bar on a terminal, else a line each second. */
final class CopyProgress implements FileSender.Watcher {
    private static final long NANOS_OF_A_BAR = 100_000_000;
    private static final long NANOS_OF_A_LINE = 1_000_000_000;
    private static final int WIDTH = 30;

    private final Console console;
    private final boolean bar;
    private String name = "";
    private long length;
    private long there;
    private long moved;
    private long began;
    private long next;
    private boolean drawn;

    CopyProgress(Console console) {
        this.console = console;
        bar = console.ansi().enabled();
    }

    @Override
    public void begins(String file, long bytes, long from) {
        name = PeerText.harmless(file);
        length = bytes;
        there = from;
        moved = 0;
        began = console.nanoTime().getAsLong();
        next = began + (bar ? NANOS_OF_A_BAR : NANOS_OF_A_LINE);
    }

    @Override
    public void moved(long bytes) {
        console.endIfAsked();
        moved += bytes;
        long now = console.nanoTime().getAsLong();
        if (now < next || length == 0) {
            return;
        }
        next = now + (bar ? NANOS_OF_A_BAR : NANOS_OF_A_LINE);
        String rate = Quantities.oneDigit(Quantities.mebibytesPerSecond(moved, now - began)) + " MiB/s";
        int percent = (int) (100.0 * (there + moved) / length);
        if (bar) {
            int full = WIDTH * percent / 100;
            console.err()
                    .print(String.format(
                            Locale.ROOT,
                            "\r[%s%s] %3d %% %12s  %s\u001b[K",
                            "#".repeat(full),
                            ".".repeat(WIDTH - full),
                            percent,
                            rate,
                            name));
            console.err().flush();
            drawn = true;
        } else {
            console.note(name + ": " + percent + " %, " + rate);
        }
    }

    @Override
    public void note(Path what, String why) {
        end();
        console.note(PeerText.harmless(what.toString()) + " " + why);
    }

    /** Erases the bar. */
    void end() {
        if (drawn) {
            console.err().print("\r\u001b[K");
            console.err().flush();
            drawn = false;
        }
    }
}
