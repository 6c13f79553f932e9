package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.copy.CopyCommand;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import picocli.CommandLine;

/** {@code jwarp cp} of one file, and the time that reading the file takes alone. */
final class FileCopy implements StudyApplication {
    private static final int BLOCK = 1 << 20;
    /** What the server says before the address of its port. */
    private static final String LISTENS = "listening on ";

    private final ApplicationParameters parameters;
    private final Console console;

    /** @param parameters {@code by=stream|one-sided|tcp|read size=BYTES} */
    FileCopy(ApplicationParameters parameters, Console console) {
        this.parameters = parameters;
        this.console = console;
    }

    @Override
    public Map<String, Double> run() throws IOException {
        Path folder = Files.createTempDirectory("jwarp-study");
        Path source = folder.resolve("source");
        Path target = Files.createDirectory(folder.resolve("target"));
        try {
            int size = parameters.number("size");
            write(source, size);
            double seconds = 0;
            for (int run = 0; run < 2; run++) { // the first one is for the JVM and the page cache
                Files.deleteIfExists(target.resolve("source"));
                long began = System.nanoTime();
                if (parameters.text("by").equals("read")) {
                    read(source);
                } else {
                    copy(source, target);
                }
                seconds = (System.nanoTime() - began) / 1e9;
            }
            return Map.of("mb_per_s", size / 1e6 / seconds);
        } finally {
            for (Path each : List.of(target.resolve("source"), target, source, folder)) {
                try {
                    Files.deleteIfExists(each);
                } catch (DirectoryNotEmptyException e) { // a copy failed: its part is the caller's to delete
                    console.note(each + " is left");
                }
            }
        }
    }

    private void copy(Path source, Path target) {
        String by = parameters.text("by");
        String host = InetAddress.getLoopbackAddress().getHostAddress();
        List<String> both = by.equals("tcp") ? List.of("--tcp") : List.of();
        CompletableFuture<String> port = new CompletableFuture<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Void> server = CompletableFuture.runAsync(
                    () -> run(
                            line -> {
                                if (line.contains(LISTENS)) {
                                    port.complete(line.substring(line.lastIndexOf(':') + 1));
                                }
                            },
                            both,
                            List.of("-a", host, "-p", "0", "-n", "1", "--serve", target.toString())),
                    thread);
            // If the server ends before it listens.
            CompletableFuture<Void> unused = server.whenComplete((nothing, failure) -> port.completeExceptionally(
                    failure == null ? ToolFailure.failed("the server of jwarp cp has ended") : failure));
            List<String> words = new ArrayList<>(List.of("-p", port.join(), source.toString(), host + ":"));
            if (by.equals("one-sided")) {
                words.add("--one-sided");
            }
            run(line -> {}, both, words);
            server.join();
        } finally {
            thread.shutdown();
        }
    }

    private void run(Consumer<String> heard, List<String> first, List<String> more) {
        List<String> words = new ArrayList<>(first);
        words.addAll(more);
        int status = new CommandLine(new CopyCommand(quiet(heard), RdmaProvider::load))
                .execute(words.toArray(String[]::new));
        if (status != 0) {
            throw ToolFailure.failed("jwarp cp " + String.join(" ", words) + " ended with status " + status);
        }
    }

    /** A console that prints nothing. */
    private Console quiet(Consumer<String> heard) {
        PrintStream lines = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                heard.accept(line);
            }
        };
        return new Console(
                lines,
                lines,
                console.nanoTime(),
                console.environment(),
                console.properties(),
                console.interruption(),
                console.ansi());
    }

    private static void write(Path file, int size) throws IOException {
        byte[] block = new byte[BLOCK];
        new Random(1).nextBytes(block);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int left = size; left > 0; left -= BLOCK) {
                out.write(ByteBuffer.wrap(block, 0, Math.min(left, BLOCK)));
            }
        }
    }

    private static void read(Path file) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        try (FileChannel in = FileChannel.open(file)) {
            while (in.read(block.clear()) >= 0) {
                // the bytes alone matter
            }
        }
    }
}
