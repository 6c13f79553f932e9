package dev.jwarp.tools.copy;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.PeerText;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp cp}: copies files and folders to another host. */
@Command(
        name = "cp",
        description = {
            "Copy files and folders to another host, over RDMA or TCP: jwarp cp SRC... HOST:DST.",
            "On that host 'jwarp cp --serve FOLDER' accepts files from everyone who can connect, and writes only into"
                    + " that folder. A file gets its name after its SHA-256 is checked, and an interrupted copy resumes"
                    + " where it stopped."
        })
public final class CopyCommand extends DeviceCommand {
    private static final int PORT = 7476;

    @Parameters(
            arity = "0..*",
            paramLabel = "SRC... HOST:DST",
            description =
                    "Sources and destination. If DST is empty or ends with /, or there are several SRC, copies keep"
                            + " their names, in the folder DST; else DST is the new name.")
    private List<String> words = List.of();

    @Option(names = "--serve", paramLabel = "FOLDER", description = "Receive files from others into this folder.")
    private @Nullable String serve;

    @Option(
            names = {"-a", "--address"},
            paramLabel = "HOST",
            description = "With --serve: the address to listen on; default all.")
    private @Nullable String address;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "The port of the server; default " + PORT + ", 0 with --serve is a free one.")
    private int port = PORT;

    @Option(
            names = {"-n", "--senders"},
            paramLabel = "N",
            description = "With --serve: end after so many senders; default: at Ctrl-C.")
    private int most;

    @Option(
            names = "--one-sided",
            description = "Write the data into the server's memory with RDMA Writes, instead of sending it by stream.")
    private boolean oneSided;

    @Option(names = "--tcp", description = "Use plain TCP, at both ends; for comparisons.")
    private boolean tcp;

    /** @param provider of the device */
    public CopyCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        check();
        stream.check(provider.get(), console);
        try (JwarpSelectorProvider sockets = new JwarpSelectorProvider(stream.settings())) {
            SelectorProvider channels = tcp ? sockets.get() : sockets;
            String folder = serve;
            if (folder == null) {
                send(channels);
            } else {
                serve(channels, folder(folder));
            }
        } catch (IOException e) {
            console.endIfAsked(); // which closes the connection
            throw ToolFailure.failed(FileWords.of(e));
        }
    }

    private void check() {
        stream.refuseProgress("the thread that copies sends and receives itself");
        if (tcp && oneSided) {
            throw ToolFailure.usage("--one-sided needs RDMA: leave out --tcp or --one-sided");
        }
        if (port < 0 || port > 65_535 || (serve == null && port == 0)) {
            throw ToolFailure.usage("-p takes a port, not " + port);
        }
        if (serve == null) {
            if (words.size() < 2) {
                throw ToolFailure.usage("source or destination is missing: jwarp cp SRC... HOST:DST");
            }
            if (address != null || most != 0) {
                throw ToolFailure.usage((address != null ? "-a" : "-n") + " is for --serve");
            }
        } else if (!words.isEmpty()) {
            throw ToolFailure.usage("--serve only receives, and takes no source: " + words.get(0));
        } else if (oneSided) {
            throw ToolFailure.usage("--one-sided is for the sender");
        } else if (most < 0) {
            throw ToolFailure.usage("-n takes a number of senders, not " + most);
        }
    }

    private static Path folder(String text) {
        Path folder = path(text);
        if (!Files.isDirectory(folder)) {
            throw ToolFailure.setup("there is no folder " + text);
        }
        return folder;
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw ToolFailure.usage(text + " is not a path");
        }
    }

    // ---- the sender

    private void send(SelectorProvider channels) throws IOException {
        CopyTarget target = CopyTarget.parse(words.get(words.size() - 1), words.size() > 2);
        List<Path> sources = words.subList(0, words.size() - 1).stream()
                .map(CopyCommand::path)
                .toList();
        check(sources, target);
        InetSocketAddress there = Addresses.resolve(target.host(), port);
        CopyProgress progress = new CopyProgress(console);
        long began = console.nanoTime().getAsLong();
        FileSender sender = null;
        try (CopyTalk talk = new CopyTalk(channels.openSocketChannel(), console.nanoTime());
                CopyWatch watch = new CopyWatch(talk, console.interruption())) {
            watch.begin();
            connect(talk.channel(), there);
            sender = new FileSender(talk, oneSided, progress);
            result = sender.totals();
            for (Path source : sources) {
                sender.send(source.toRealPath(), target.nameOf(source)); // a link that the user names is followed
            }
            sender.end();
        } finally {
            progress.end();
            FileSender.Totals all = (FileSender.Totals) result;
            if (all != null) {
                all.nanos = console.nanoTime().getAsLong() - began;
                say(all);
            }
            String kept = sender == null ? null : sender.kept();
            if (kept != null) {
                console.note(PeerText.harmless(kept));
            }
        }
        FileSender.Totals all = (FileSender.Totals) result;
        if (all != null && all.failed > 0) {
            throw ToolFailure.failed(all.failed + " of the files and folders " + (all.failed == 1 ? "was" : "were")
                    + " not copied; see the messages above");
        }
    }

    private static void check(List<Path> sources, CopyTarget target) {
        Set<String> names = new HashSet<>();
        for (Path source : sources) {
            if (!Files.exists(source)) {
                throw ToolFailure.setup("there is no " + source);
            }
            if (!Files.isRegularFile(source) && !Files.isDirectory(source)) {
                throw ToolFailure.setup(source + " is neither file nor folder");
            }
            if (!names.add(target.nameOf(source))) {
                throw ToolFailure.usage(
                        "two sources would have the same name at the destination: " + target.nameOf(source));
            }
        }
    }

    private void connect(SocketChannel channel, InetSocketAddress there) {
        try {
            if (!tcp) {
                channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
            }
            if (oneSided) {
                channel.setOption(JwarpSocketOptions.MAP_SIZE, 1);
            }
            channel.connect(there);
        } catch (IOException e) {
            console.endIfAsked();
            throw ToolFailure.setup(
                    "no connection with " + Addresses.text(there) + ": " + FileWords.of(e),
                    "is 'jwarp cp --serve FOLDER" + (tcp ? " --tcp" : "") + "' running there?");
        }
    }

    private void say(FileSender.Totals all) {
        line("cp: " + count(all.files, "file") + ", " + count(all.folders, "folder") + ", " + all.bytes + " bytes in "
                + Quantities.duration(all.nanos) + ", "
                + Quantities.oneDigit(Quantities.mebibytesPerSecond(all.bytes, all.nanos)) + " MiB/s"
                + (all.resumed == 0 ? "" : "; " + all.resumed + " resumed")
                + (all.leftOut == 0 ? "" : "; " + all.leftOut + " left out")
                + (all.failed == 0 ? "" : "; " + all.failed + " failed"));
    }

    private static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    // ---- the receiver

    private void serve(SelectorProvider channels, Path folder) throws IOException {
        InetSocketAddress local = address == null ? new InetSocketAddress(port) : Addresses.resolve(address, port);
        try (CopyServer server = new CopyServer(channels, local, folder, console)) {
            console.note("listening on " + Addresses.text(server.address()));
            server.run(most);
        }
    }

    /**
     * Closes the connection of a sender if the peer is late or the run has to end, because the copying thread may be
     * blocked in a call.
     */
    private static final class CopyWatch implements AutoCloseable {
        private static final long LOOK_NANOS = 100_000_000;

        private final CopyTalk talk;
        private final Interruption interruption;
        private volatile boolean ended;

        CopyWatch(CopyTalk talk, Interruption interruption) {
            this.talk = talk;
            this.interruption = interruption;
        }

        /** Starts the thread that watches. */
        void begin() {
            ToolThreads.start("jwarp cp watch", this::watch);
        }

        private void watch() {
            while (!ended && !interruption.requested()) {
                interruption.pause(LOOK_NANOS);
                talk.endIfLate();
            }
            talk.end();
        }

        /** Ends the thread. */
        @Override
        public void close() {
            ended = true;
        }
    }

    /**
     * The destination of copies.
     *
     * @param host the host
     * @param path the path on the host, with / between its parts; empty for the served folder itself
     * @param into whether copies keep their names, in the folder {@code path}
     */
    private record CopyTarget(String host, String path, boolean into) {
        /** {@return the destination that {@code HOST:DST} or {@code [HOST]:DST} names} */
        static CopyTarget parse(String text, boolean several) {
            int end = text.startsWith("[") ? text.indexOf("]:") + 1 : text.indexOf(':');
            if (end <= 0) {
                throw ToolFailure.usage(text + " is not HOST:DST");
            }
            String host = text.startsWith("[") ? text.substring(1, end - 1) : text.substring(0, end);
            String path = text.substring(end + 1);
            if (host.isEmpty() || path.startsWith("/")) {
                throw ToolFailure.usage(
                        text + " is not HOST:DST", "DST is a path below the served folder, without / in front");
            }
            boolean into = several || path.isEmpty() || path.endsWith("/");
            return new CopyTarget(host, path.endsWith("/") ? path.substring(0, path.length() - 1) : path, into);
        }

        /** {@return the path of a source's copy on the host} */
        String nameOf(Path source) {
            Path own = source.toAbsolutePath().normalize().getFileName();
            if (!into) {
                return path;
            }
            if (own == null) {
                throw ToolFailure.usage(source + " has no file name: give a name, HOST:NAME");
            }
            return path.isEmpty() ? own.toString() : path + "/" + own;
        }
    }
}
