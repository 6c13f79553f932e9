package dev.jwarp.tools.proxy;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp proxy}: a gateway between TCP and RDMA. */
@Command(
        name = "proxy",
        description = {
            "Carry streams from TCP to RDMA, or from RDMA to TCP, so that programs as they are take part.",
            "One in front of the client (-l tcp://... -t rdma://...) and one in front of the server (-l rdma://... -t tcp://...)"
                    + " bring any two programs of TCP together over RDMA. The bytes go as librdmacm's rsockets send them, so either"
                    + " end can be a program with rsockets or with jwarp's sockets instead."
        })
public final class ProxyCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private Gateway.@Nullable Totals totals;

    @Option(
            names = {"-l", "--listen"},
            required = true,
            paramLabel = "rdma|tcp://[HOST:]PORT",
            description = "Where clients connect to; port 0 is a free one.")
    private String listen = "";

    @Option(
            names = {"-t", "--to"},
            required = true,
            paramLabel = "rdma|tcp://HOST:PORT",
            description = "Where each of them is carried to.")
    private String to = "";

    @Option(
            names = {"-n", "--connections"},
            paramLabel = "N",
            description = "End when so many connections are over; default: at Ctrl-C.")
    private long most;

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** @param provider of the device */
    public ProxyCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        if (most < 0) {
            throw ToolFailure.usage("-n is a number of connections, not " + most);
        }
        stream.refuseProgress("one thread carries all connections, as sockets do it");
        Side at = Side.parse("-l", listen, true);
        Side target = Side.parse("-t", to, false);
        stream.check(provider.get(), console);
        try (JwarpSelectorProvider sockets = new JwarpSelectorProvider(stream.settings());
                Gateway gateway = listening(sockets, at, target)) {
            totals = gateway.totals();
            console.note("listening on " + at.at(gateway.address()));
            gateway.run(most, this::interrupted);
        } catch (IOException e) {
            throw ToolFailure.failed(String.valueOf(e.getMessage()));
        }
        say();
    }

    private Gateway listening(JwarpSelectorProvider sockets, Side at, Side target) {
        try {
            return new Gateway(sockets, at, target, console::note);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot listen on " + at + ": " + e.getMessage());
        }
    }

    private void say() {
        Gateway.Totals all = totals;
        if (all != null) {
            line("proxy: " + all.connections + " connections, " + all.failed + " failed, " + all.bytesThere
                    + " bytes there, " + all.bytesBack + " bytes back");
        }
    }

    @Override
    protected @Nullable Object result() {
        return totals;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
