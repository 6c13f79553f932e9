package dev.jwarp.benchmarks.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The far end of a contender in a process of its own, because one process may not open 20,000 sockets. Both exchange
 * lines.
 */
final class FarProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    /** Starts {@code main} with these arguments. */
    FarProcess(Class<?> main, Arguments arguments) throws IOException {
        List<String> words = new ArrayList<>();
        arguments.values().forEach((key, value) -> words.add(key + "=" + value));
        process = new ProcessBuilder(Players.with(Players.OF_ALL, Child.java(main, words)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** {@return the next line of the far end} */
    String next() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the far end ended early");
        }
        return line;
    }

    void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    @Override
    public void close() {
        // Not destroy(): hooks of jwarp would end the connections, and threads of the process would report that.
        process.destroyForcibly();
    }
}
