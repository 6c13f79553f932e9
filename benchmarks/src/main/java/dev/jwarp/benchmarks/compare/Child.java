package dev.jwarp.benchmarks.compare;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process that prints {@code ready}, then answers each line MILLIS with a line of {@link Figures}: a JVM, or a
 * program in C.
 */
final class Child implements Player {
    /** Additional time for a request; after that the child counts as hanging. */
    private static final long PATIENCE_SECONDS = 60;

    private final String name;
    private final boolean oneCore;
    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;

    /**
     * @param oneCore whether to pin all its threads to one core when it settles
     */
    Child(String name, List<String> command, Map<String, String> environment, boolean oneCore) throws IOException {
        this.name = name;
        this.oneCore = oneCore;
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        process = builder.start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    @Override
    public void ready() throws IOException {
        String first = line(PATIENCE_SECONDS);
        if (!first.equals(Worker.READY)) {
            throw new IOException(first.startsWith(Worker.CANNOT) ? first.substring(Worker.CANNOT.length()) : first);
        }
    }

    @Override
    public void settle() throws IOException {
        if (oneCore) {
            pin(process.toHandle());
            for (ProcessHandle child : process.descendants().toList()) {
                pin(child);
            }
        }
    }

    private static void pin(ProcessHandle process) throws IOException {
        Process taskset = new ProcessBuilder("taskset", "-acp", "0", String.valueOf(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (taskset.waitFor() != 0) {
                throw new IOException("taskset cannot pin it to one core");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public long compiling() {
        return CpuTime.ofCompilers(process.toHandle());
    }

    static final String CLASS_PATH = System.getProperty("java.class.path");

    /** {@return the command that starts a JVM like this one} */
    static List<String> java(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", CLASS_PATH, main.getName()));
        command.addAll(arguments);
        return command;
    }

    @Override
    public Figures round(int millis) throws IOException {
        in.write(millis + "\n");
        in.flush();
        String line = line(PATIENCE_SECONDS + TimeUnit.MILLISECONDS.toSeconds(millis));
        try {
            return Figures.parse(line);
        } catch (IllegalArgumentException e) {
            throw new IOException(name + " printed: " + line, e);
        }
    }

    private String line(long seconds) throws IOException {
        Thread watch = new Thread(() -> watch(seconds), "watch " + name);
        watch.setDaemon(true);
        watch.start();
        String line = out.readLine();
        watch.interrupt();
        if (line == null) {
            throw new IOException(name + " ended early or hung for " + seconds + " s; its output, if any, is above");
        }
        return line;
    }

    private void watch(long seconds) {
        try {
            TimeUnit.SECONDS.sleep(seconds);
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the child has answered
        }
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
