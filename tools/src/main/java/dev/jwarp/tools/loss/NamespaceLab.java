package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Each end in a process and a network namespace of its own; what lies between loses packets, whatever they carry. */
final class NamespaceLab implements Lab {
    private static final String TRUST = "jwarp.udp.trust";
    private static final String CONTROLLED = "jwarp.udp.controlled";

    private final NetworkFlags flags;
    private final Namespaces namespaces;
    private final LossLink link;
    private final Path file;
    private final Board board;
    private final Remote target;
    private final Remote source;

    /** @param main of this command, which each end runs */
    NamespaceLab(Console console, Class<?> main, NetworkFlags flags, int mostMessages) {
        this.flags = flags;
        Shell.Said ss = Shell.run(List.of("ss", "-V"));
        if (!ss.well()) {
            throw ToolFailure.setup("needs ss of iproute2, which tells TCP's congestion control: " + ss.text());
        }
        namespaces = new Namespaces();
        LossLink made = null;
        try {
            made = flags.link(namespaces);
            link = made;
            file = Files.createTempFile("jwarp-loss", ".board");
            board = Board.inFile(file, mostMessages);
        } catch (IOException e) {
            close(made);
            throw ToolFailure.setup("no file for what both ends share: " + e.getMessage());
        } catch (RuntimeException e) {
            close(made);
            throw e;
        }
        target = new Remote(console, main, namespaces.name(0), "target", Namespaces.address(0), file, mostMessages);
        source = new Remote(console, main, namespaces.name(1), "source", Namespaces.address(1), file, mostMessages);
    }

    private void close(@Nullable LossLink made) {
        if (made != null) {
            made.close();
        }
        namespaces.close();
    }

    @Override
    public String description() {
        return "two network namespaces, between them " + link.description()
                + "; a process in each, and both addresses are trusted (" + TRUST + "); TCP with " + flags.control()
                + ", set by the routes and read back from each connection";
    }

    @Override
    public Row run(LossTrial trial) {
        Conditions conditions = Conditions.now(true, "");
        board.clear(trial.messages());
        link.become(trial.path(), seed(trial));
        Map<String, String> settings = new HashMap<>(trial.settings());
        settings.putIfAbsent(TRUST, Namespaces.network());
        if (trial.path().bottleneck() == null) {
            settings.putIfAbsent(CONTROLLED, Namespaces.network()); // what is measured is loss, not a pace
        }
        LossTrial there = trial.with(settings, flags.control());
        LossPlace place = target.open(there);
        Ended ofSource = source.run(there, place);
        return Row.of(trial, conditions, board, ofSource, target.serve());
    }

    /** {@return what the link draws from: the same fate for all services and sizes would be the luck of all their points} */
    static long seed(LossTrial trial) {
        return 31 * (31 * trial.seed() + trial.service().word().hashCode()) + trial.size();
    }

    @Override
    public void close() {
        source.close();
        target.close();
        close(link);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot delete " + file + ": " + e.getMessage());
        }
    }
}
