package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Observes other processes. Any thread; waits at most a few seconds for each socket. */
public final class StatClient {
    private static final String LIST = "`jwarp stat` without a pid lists the processes that can be looked at.";

    private static final long STALL_MILLIS = 5_000;

    private final Path base;
    private final long stallMillis;

    /** A client of the sockets in {@link StatFolder#BASE}. */
    public StatClient() {
        this(StatFolder.BASE, STALL_MILLIS);
    }

    StatClient(Path base, long stallMillis) {
        this.base = base;
        this.stallMillis = stallMillis;
    }

    /** {@return the pids of running processes of this user that have a socket, ascending} */
    public List<Long> processes() {
        try {
            StatFolder folder = new StatFolder(base, StatFolder.userOfThisProcess());
            check(folder);
            return folder.pids().stream()
                    .filter(pid -> ProcessHandle.of(pid).isPresent())
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw failed("The processes with jwarp cannot be listed: " + e, e);
        }
    }

    private static void check(StatFolder folder) throws IOException {
        String wrong = folder.whatIsWrong();
        if (wrong != null) {
            throw new RdmaException(RdmaErrorCode.PERMISSION_DENIED, "The folder of the sockets is not safe: " + wrong);
        }
    }

    /**
     * {@return the rows of a process}
     *
     * @throws RdmaException as {@link dev.jwarp.verbs.RdmaProvider#observe}
     */
    public Observation observe(long pid) {
        try {
            ObservedProcess process = ObservedProcess.find(pid);
            if (process == null) {
                throw nothing("There is no process " + pid + "." + leftBehind(pid));
            }
            try {
                return observe(process);
            } catch (NoSuchFileException e) {
                throw nothing(process);
            } catch (AccessDeniedException e) {
                throw denied(process, e);
            }
        } catch (IOException e) {
            throw failed("Process " + pid + " cannot be looked at: " + e, e);
        }
    }

    private String leftBehind(long pid) throws IOException {
        try {
            boolean left = !new StatFolder(base, StatFolder.userOfThisProcess())
                    .sockets(pid)
                    .isEmpty();
            return left ? " A process with that pid was killed: the next start of jwarp removes its socket." : "";
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private Observation observe(ObservedProcess process) throws IOException {
        StatFolder folder = process.folder(base);
        check(folder);
        Merged merged = new Merged();
        boolean left = false;
        for (Path socket : folder.sockets(process.ownPid())) {
            try (Inlet inlet = new Inlet(socket, process.describe(), stallMillis)) {
                merged.addAll(inlet.rows());
            } catch (ConnectException e) {
                left = true;
            }
        }
        if (merged.rows.isEmpty() && left) {
            throw nothing(process.describe() + " has no jwarp device open; an earlier process with that pid left a"
                    + " socket behind in " + folder.path() + ", and the process does not answer.");
        }
        if (merged.rows.isEmpty()) {
            throw nothing(process);
        }
        return new Observation(process.pid(), List.copyOf(merged.rows.values()));
    }

    private static RdmaException nothing(ObservedProcess process) {
        return nothing(
                process.startedSilent()
                        ? process.describe() + " was started with jwarp.stat=off: nothing can be shown."
                        : process.describe() + " has no jwarp device open, or its program switched jwarp.stat off. "
                                + LIST);
    }

    private static RdmaException nothing(String sentence) {
        return new RdmaException(RdmaErrorCode.NOT_FOUND, sentence);
    }

    private static RdmaException denied(ObservedProcess process, IOException cause) {
        return new RdmaException(
                RdmaErrorCode.PERMISSION_DENIED,
                process.describe() + " belongs to user " + Integer.toUnsignedString(process.user())
                        + ": only that user and root may look at it.",
                cause);
    }

    private static RdmaException failed(String sentence, IOException cause) {
        return new RdmaException(RdmaErrorCode.NOT_SUPPORTED, sentence, cause);
    }

    /** The merged rows of all sockets of one process: each link once, and sums of the counters. */
    private static final class Merged {
        private final Map<List<String>, ObservedRow> rows = new LinkedHashMap<>();

        void addAll(List<ObservedRow> more) {
            for (ObservedRow row : more) {
                rows.merge(key(row), row, Merged::sum);
            }
        }

        private List<String> key(ObservedRow row) {
            return switch (row.object()) {
                case "process" -> List.of(row.object());
                case "link", "resource" -> List.of(row.object(), row.text("link"));
                case "counter" -> List.of(row.object(), row.text("link"), row.text("name"));
                default -> List.of(row.object(), Integer.toString(rows.size()));
            };
        }

        private static ObservedRow sum(ObservedRow first, ObservedRow second) {
            ObservedRow sum = ObservedRow.of(first.object());
            List<String> names = new ArrayList<>(first.fields().keySet());
            boolean summed =
                    !first.object().equals("process") && !first.object().equals("link");
            for (String name : names) {
                sum = first.fields().get(name) instanceof Long value
                        ? sum.with(name, summed ? value + second.number(name) : value)
                        : sum.with(name, first.text(name));
            }
            return sum;
        }
    }
}
