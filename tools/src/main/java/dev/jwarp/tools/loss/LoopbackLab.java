package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Both ends in this process, each with a thread and a device context of its own; the injector loses datagrams. */
final class LoopbackLab implements Lab {
    private static final String TCP = "TCP: the injector cannot act on it, nothing is lost or delayed";

    private final Board board;
    private final LocalTarget target;
    private final LocalSource source;
    private final ExecutorService thread;

    /** @param mostMessages of any trial */
    LoopbackLab(RdmaProvider provider, Console console, int mostMessages) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        board = Board.inMemory(mostMessages);
        target = new LocalTarget(provider, loopback, board, console);
        source = new LocalSource(provider, loopback, board, console);
        thread = Executors.newSingleThreadExecutor(ToolThreads.named("jwarp-loss-target"));
    }

    @Override
    public String description() {
        return "loopback, one process; losses and delays by the injector of the UDP transport (jwarp.udp.inject), in both"
                + " directions; TCP with the system's congestion control, " + systemControl();
    }

    /** {@return what connections of this network namespace get if nothing else is said} */
    private static String systemControl() {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"))
                    .strip();
        } catch (IOException e) {
            return "which is not known";
        }
    }

    @Override
    public Row run(LossTrial trial) {
        boolean reaches = !trial.service().connected();
        Row.Conditions conditions = Row.Conditions.now(reaches, reaches ? "" : TCP);
        board.clear(trial.messages());
        LossEnd.Place place = target.open(trial);
        Future<LossEnd.Report> serving = thread.submit(target::serve);
        LossEnd.Report ofSource = source.run(trial, place);
        return Row.of(trial, conditions, board, ofSource, ToolThreads.result(serving));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
