package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.SettingFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.PingClient.PingVoice;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The base of both ping commands: two roles, their flags, and a report at the end of a run. */
abstract class PingCommand extends ToolCommand implements PingVoice {
    private final Supplier<RdmaProvider> provider;

    @Option(names = "-s", description = "Be the server.")
    private boolean server;

    @Option(names = "-c", description = "Be the client.")
    private boolean client;

    @Option(
            names = "-a",
            paramLabel = "ADDRESS",
            description = "Server: the address to listen on, default any; ::0 for any with IPv6. Client: the server's"
                    + " address.")
    private @Nullable String address;

    @Option(names = "-I", paramLabel = "ADDRESS", description = "Client: the local address to ping from.")
    private @Nullable String source;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", description = "The port, default 7174.")
    private int port;

    @Option(names = "-C", paramLabel = "COUNT", description = "Client: number of pings; default 0, without end.")
    private long count;

    @Option(names = "-v", description = "Print each ping.")
    private boolean verbose;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Client: time between the starts of two pings, such as 0.2; default none.")
    private double interval;

    @Option(names = "--quiet", description = "No line of progress each second.")
    private boolean quiet;

    /** The result of a run, for JSON: of one client's pings, or of a server of many clients. */
    private record Outcome(
            String role, @Nullable Object ping, @Nullable Object totals) {}

    PingCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    /** {@return the flags for settings of the stack} */
    abstract SettingFlags flags();

    /**
     * {@return the settings of the pings} Rejects flags that exclude each other; the common flags are checked already.
     */
    abstract PingSettings checked(boolean server);

    abstract Context open(RdmaProvider rdma);

    abstract PingClient<?> client(
            Context context, InetSocketAddress remote, @Nullable InetSocketAddress local, PingSettings settings);

    /** Serves until the work is done or the user ends it, and prints the report. */
    abstract void serve(Context context, InetSocketAddress local, PingSettings settings);

    @Override
    protected final void execute() {
        checkRoles();
        PingSettings settings = checked(server);
        RdmaProvider rdma = provider.get();
        flags().check(rdma, console);
        try (Context context = open(rdma)) {
            if (server) {
                serve(context, Addresses.resolve(address == null ? "0.0.0.0" : address, port), settings);
            } else {
                ping(context, settings);
            }
        }
    }

    private void checkRoles() {
        if (server == client) {
            throw ToolFailure.usage(
                    server
                            ? "-s and -c exclude each other"
                            : "the role is missing: -s for the server or -c for the client");
        }
        if (client && address == null) {
            throw ToolFailure.usage("-c needs -a: the address of the server");
        }
        if (server && source != null) {
            throw ToolFailure.usage("-I is for the client, -c");
        }
        if (count < 0) {
            throw ToolFailure.usage("-C " + count + " is out of range: 0 (without end) or more");
        }
        if (port < (server ? 0 : 1) || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535");
        }
    }

    /** {@return the settings with the values of the common flags} */
    final PingSettings settings(int size, Duration answerLimit, Duration peerLimit, boolean validate) {
        return new PingSettings(
                count,
                size,
                Timeout.seconds("-i", interval),
                answerLimit,
                peerLimit,
                verbose,
                validate,
                quiet || verbose);
    }

    /**
     * {@return the bytes of {@code -S}}
     *
     * @param range the range as text, for the message
     */
    static int size(String text, int least, int most, String range) {
        long size = Quantities.bytes("-S", text);
        if (size < least || size > most) {
            throw ToolFailure.usage("-S " + text + " is out of range: " + range);
        }
        return (int) size;
    }

    private void ping(Context context, PingSettings settings) {
        InetSocketAddress remote = Addresses.resolve(String.valueOf(address), port);
        InetSocketAddress local = source == null ? null : Addresses.resolve(source, 0);
        try (PingClient<?> ping = client(context, remote, local, settings)) {
            conduct(
                    ping::run,
                    () -> tell("client", ping.report, Addresses.host(remote), ping.summary(Addresses.text(remote))));
            ping.judge();
        }
    }

    /** Runs one end, and prints its report, also after a failure. */
    final void conduct(Runnable run, Runnable tell) {
        try {
            run.run();
        } catch (EndedEarly e) {
            trace("ended early");
        } finally {
            tell.run();
        }
    }

    final void tell(String role, PingReport report, String peerHost, Object summary) {
        // Printed at once, so that reports of several clients of a server do not mix.
        line(String.join(System.lineSeparator(), report.lines(peerHost)));
        result = new Outcome(role, summary, null);
    }

    /** Prints the report of a server of many clients. */
    final void tellAll(Object totals) {
        line(totals.toString());
        result = new Outcome("server", null, totals);
    }

    @Override
    public Console console() {
        return console;
    }

    @Override
    public void data(String line) {
        line(line);
    }

    @Override
    public void trace(String step) {
        super.trace(step);
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return flags().effective(provider.get());
    }
}
