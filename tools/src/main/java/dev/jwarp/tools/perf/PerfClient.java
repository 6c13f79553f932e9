package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Version;
import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Consumer;

/** The client, which chooses the test. One thread. */
final class PerfClient {
    private final Devices devices;
    private final PerfSettings settings;
    private final Console console;
    private final PerfReporter reporter;
    private final Ticker ticker;

    PerfClient(Devices devices, PerfSettings settings, Console console, PerfReporter reporter, Ticker ticker) {
        this.devices = devices;
        this.settings = settings;
        this.console = console;
        this.reporter = reporter;
        this.ticker = ticker;
    }

    /**
     * Runs the test with a server.
     *
     * @param told receives the outcome, also after a failure
     */
    void run(InetSocketAddress server, Consumer<PerfOutcome> told) {
        QueuePairType type = settings.load().type();
        Hello hello = new Hello(settings.test(), settings.load(), Version.NUMBER);
        try (Context context = devices.control();
                PerfControl control = PerfControl.to(context, console, server, settings.place(), hello)) {
            Welcome welcome = control.welcome();
            Context data = devices.data(type);
            try (TrafficEnd end = new TrafficEnd(data, settings.traffic(data.progress()))) {
                Device device = devices.device(type);
                PerfConversation talk = new PerfConversation(settings, console, control, end, reporter, ticker, true);
                PerfOutcome outcome = new PerfOutcome(control.link().peer(), welcome.version());
                try {
                    talk.run(
                            () -> connect(end, server, welcome, control),
                            device.name(),
                            device.port(1).interfaceMtu());
                } finally {
                    outcome.ended(talk);
                    told.accept(outcome);
                }
            }
        }
    }

    private void connect(TrafficEnd end, InetSocketAddress server, Welcome welcome, PerfControl control) {
        if (settings.load().type() != QueuePairType.RC) {
            InetAddress local =
                    Objects.requireNonNull(control.link().localAddress()).getAddress();
            end.bind(settings.datagrams(local));
            return;
        }
        InetSocketAddress data = new InetSocketAddress(server.getAddress(), welcome.dataPort());
        for (int i = 0; i < settings.load().queuePairs(); i++) {
            CmId id = end.context().createId();
            id.resolveAddress(null, data);
            end.add(id.createQueuePair(end.domain(), end.attributes()));
            id.connect(ConnectionParameters.DEFAULT
                    .withPrivateData(new Welcome.Ticket(i, welcome.token()).toOctets())
                    .withInitiatorDepth(settings.load().outstandingReads())
                    .withResponderResources(settings.load().outstandingReads())
                    .withTimeout(settings.place().timeout()));
        }
    }
}
