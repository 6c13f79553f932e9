package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.util.List;

/** Commands of the system. */
final class Shell {
    private Shell() {}

    /**
     * What a command said.
     *
     * @param status its exit status; 127 if it cannot be started
     * @param text both of its streams
     */
    record Said(int status, String text) {
        boolean well() {
            return status == 0;
        }
    }

    /** {@return what it said, when it has ended} */
    static Said run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return new Said(process.waitFor(), text);
        } catch (IOException e) {
            return new Said(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedEarly();
        }
    }

    /** Runs a command, its words with blanks between, that has to succeed. */
    static void must(String command) {
        Said said = run(List.of(command.split(" ", -1)));
        if (!said.well()) {
            throw ToolFailure.setup("'" + command + "' failed: " + said.text());
        }
    }
}
