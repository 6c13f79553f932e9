package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Each end in a process and a network namespace of its own; the kernel loses packets, whatever they carry. */
final class NamespaceLab implements Lab {
    private static final String TRUST = "jwarp.udp.trust";

    private final Namespaces namespaces;
    private final Path file;
    private final Board board;
    private final Remote target;
    private final Remote source;

    /** @param main of this command, which each end runs */
    NamespaceLab(Console console, Class<?> main, Namespaces.Via via, String delay, int mostMessages) {
        namespaces = new Namespaces(via, delay);
        try {
            file = Files.createTempFile("jwarp-loss", ".board");
            board = Board.inFile(file, mostMessages);
        } catch (IOException e) {
            namespaces.close();
            throw ToolFailure.setup("no file for what both ends share: " + e.getMessage());
        }
        target = new Remote(console, main, namespaces.name(0), "target", Namespaces.address(0), file, mostMessages);
        source = new Remote(console, main, namespaces.name(1), "source", Namespaces.address(1), file, mostMessages);
    }

    @Override
    public String description() {
        return namespaces.description() + "; a process in each, and both addresses are trusted (" + TRUST + ")";
    }

    @Override
    public Row run(LossTrial trial) {
        board.clear(trial.messages());
        namespaces.lose(trial.loss());
        Map<String, String> settings = new HashMap<>(trial.settings());
        settings.putIfAbsent(TRUST, Namespaces.network());
        LossTrial there = trial.with(settings);
        LossPlace place = target.open(there);
        Ended ofSource = source.run(there, place);
        return Row.of(trial, true, board, ofSource, target.serve(), "");
    }

    @Override
    public void close() {
        source.close();
        target.close();
        namespaces.close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot delete " + file + ": " + e.getMessage());
        }
    }
}
