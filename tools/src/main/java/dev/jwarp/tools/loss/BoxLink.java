package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.ToolFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A TUN device in each namespace, and between them the bottleneck of {@code interop/congestion}: a process for each path. */
final class BoxLink implements LossLink {
    private static final long FAREWELL_SECONDS = 2;

    private final Namespaces namespaces;
    private final Path program;
    private final String control;
    private @Nullable Process process;
    private @Nullable LossPath now;
    private long seedNow;

    /**
     * @param program the bottleneck's
     * @param control of TCP
     */
    BoxLink(Namespaces namespaces, Path program, String control) {
        this.namespaces = namespaces;
        this.program = program;
        this.control = control;
    }

    @Override
    public String description() {
        return "two TUN devices (MTU 1500) and a bottleneck (interop/congestion/box.c); losses at random"
                + " behind its queue, in both directions";
    }

    @Override
    public void become(LossPath path, long seed) {
        if (path.equals(now) && seed == seedNow && process != null && process.isAlive()) {
            return;
        }
        close();
        long own = ProcessHandle.current().pid();
        String[] devices = {"jwl" + own + "a", "jwl" + own + "b"};
        start(words(path, seed, devices));
        for (int end = 0; end < devices.length; end++) {
            String in = namespaces.in(end);
            String device = Namespaces.DEVICE;
            Shell.must("ip link set " + devices[end] + " netns " + namespaces.name(end) + " name " + device);
            Shell.must(
                    in + "addr add " + Namespaces.host(end) + " peer " + Namespaces.host(1 - end) + " dev " + device);
            Shell.must(in + "link set " + device + " mtu 1500 txqueuelen 20000 up");
        }
        namespaces.control(control); // the routes went with the devices
        now = path;
        seedNow = seed;
    }

    /** {@return what the program is asked for} */
    static List<String> words(LossPath path, long seed, String... devices) {
        Bottleneck narrow = Objects.requireNonNull(path.bottleneck());
        long queue = narrow.queueBytes(2 * path.delayMillis());
        return List.of(
                "a=" + devices[0],
                "b=" + devices[1],
                number("rate", narrow.bitsPerSecond() / 1e6),
                number("delay", path.delayMillis()),
                "queue=" + queue + "b",
                "back-queue=" + queue + "b",
                number("loss", path.loss()),
                number("back-loss", path.loss()),
                "seed=" + seed);
    }

    private static String number(String name, double value) {
        return name + "=" + String.format(Locale.ROOT, "%.6f", value);
    }

    private void start(List<String> words) {
        // It ends with this process, however that ends.
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", program.toString()));
        command.addAll(words);
        try {
            Process started =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process = started;
            BufferedReader lines = started.inputReader(UTF_8);
            String line = lines.readLine();
            if (!"up".equals(line)) {
                throw ToolFailure.setup(
                        "the bottleneck " + program + " did not begin: " + line,
                        "it needs root and /dev/net/tun (CONFIG_TUN), and is what interop/loss/run compiles");
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the bottleneck cannot be started: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        Process last = process;
        process = null;
        if (last == null) {
            return;
        }
        last.destroy();
        try {
            if (!last.waitFor(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
                last.destroyForcibly();
            }
        } catch (InterruptedException e) {
            last.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
