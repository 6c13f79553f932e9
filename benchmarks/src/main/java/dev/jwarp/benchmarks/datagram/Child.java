package dev.jwarp.benchmarks.datagram;

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

/** A {@link Worker} in a JVM of its own, with the options of this one. */
final class Child implements AutoCloseable {
    private final Setup setup;
    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;

    Child(Setup setup, boolean oneCore) throws IOException {
        this.setup = setup;
        List<String> command = new ArrayList<>();
        if (oneCore) {
            command.addAll(List.of("taskset", "-c", "0"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName(), setup.word()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        line();
    }

    Figures round(int octets, int millis) throws IOException {
        in.write(octets + " " + millis + "\n");
        in.flush();
        return Figures.parse(line());
    }

    private String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the worker for " + setup.title() + " ended early; its own words are above");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
