package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.ObservedRow;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open contexts that other processes may observe. There is a socket while there is a context. If two class loaders
 * load jwarp, each has a publisher and a socket of its own, and readers merge the answers. Any thread.
 */
public final class Publisher {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
    private static final Publisher OF_PROCESS = new Publisher(StatFolder.BASE);

    private final Path base;
    private final List<RowSource> sources = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private @Nullable StatServer server;
    private boolean complained;

    Publisher(Path base) {
        this.base = base;
    }

    /** {@return the publisher of this process} */
    public static Publisher ofProcess() {
        return OF_PROCESS;
    }

    /** Shows a context. Never throws, because a program works without observers, too; a failure is logged once. */
    public synchronized void add(RowSource source) {
        sources.add(source);
        if (server == null) {
            try {
                server = start();
            } catch (IOException e) {
                complain(e);
            }
        }
    }

    private @Nullable StatServer start() throws IOException {
        StatFolder folder = new StatFolder(base, StatFolder.userOfThisProcess());
        folder.prepare();
        folder.clean();
        Path socket = folder.newSocket(ProcessHandle.current().pid(), new SecureRandom());
        return StatServer.start(socket, this::write);
    }

    private void complain(IOException e) {
        if (!complained) {
            complained = true;
            LOG.warn("`jwarp stat` cannot look at this process (jwarp.stat=off silences this): {}", e.toString());
        }
    }

    /** Hides a context; removes the socket with the last context. */
    public synchronized void remove(RowSource source) {
        sources.remove(source);
        StatServer running = server;
        if (sources.isEmpty() && running != null) {
            server = null;
            running.close();
        }
    }

    /** {@return the socket of this process; null if there is none} */
    synchronized @Nullable Path socket() {
        return server == null ? null : server.path();
    }

    /** Writes all rows. Required rows come first, then objects up to the limit of each kind. */
    void write(RowSource.Sink sink) {
        sink.row(process());
        Map<String, List<RowSource>> links = new LinkedHashMap<>();
        for (RowSource source : sources) {
            links.computeIfAbsent(source.link(), none -> new ArrayList<>()).add(source);
        }
        links.values().forEach(contexts -> sink.row(contexts.get(0).linkRow(localAddresses(contexts))));
        links.forEach((link, contexts) -> sink.row(resources(link, contexts)));
        links.forEach((link, contexts) -> counters(link, contexts, sink));
        sources.forEach(source -> source.limits(sink));
        sources.forEach(source -> source.objects(sink));
    }

    private static Set<InetAddress> localAddresses(List<RowSource> contexts) {
        Set<InetAddress> all = new HashSet<>();
        contexts.forEach(context -> all.addAll(context.localAddresses()));
        return all;
    }

    private static ObservedRow process() {
        // Only the first word of the command line; arguments may be private.
        String started = System.getProperty("sun.java.command", "java").split(" ", 2)[0];
        return ObservedRow.of("process")
                .with("pid", ProcessHandle.current().pid())
                .with("comm", started.substring(started.lastIndexOf('/') + 1))
                .with("version", Publisher.class.getPackage().getImplementationVersion())
                .with("java", Runtime.version().toString());
    }

    private static ObservedRow resources(String link, List<RowSource> contexts) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (RowSource context : contexts) {
            context.counts().forEach((object, count) -> sums.merge(object, count, Long::sum));
        }
        ObservedRow row = ObservedRow.of("resource").with("link", link);
        for (Map.Entry<String, Long> sum : sums.entrySet()) {
            row = row.with(sum.getKey(), sum.getValue());
        }
        return row;
    }

    private static void counters(String link, List<RowSource> contexts, RowSource.Sink sink) {
        Map<String, Counter> sums = new LinkedHashMap<>();
        for (RowSource context : contexts) {
            for (Counter one : context.counters()) {
                sums.merge(one.name(), one, (a, b) -> new Counter(a.name(), a.value() + b.value(), a.sentence()));
            }
        }
        sums.values()
                .forEach(sum -> sink.row(ObservedRow.of("counter")
                        .with("link", link)
                        .with("name", sum.name())
                        .with("value", sum.value())
                        .with("sentence", sum.sentence())));
    }
}
