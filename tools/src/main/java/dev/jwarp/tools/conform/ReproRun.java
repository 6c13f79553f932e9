package dev.jwarp.tools.conform;

import dev.jwarp.conformance.report.Capture;
import dev.jwarp.conformance.report.Explanation;
import dev.jwarp.conformance.repro.Script;
import dev.jwarp.conformance.repro.ScriptMaker;
import dev.jwarp.conformance.repro.ScriptPlayer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes capture and script of a failed case ({@code jwarp conform --repro}), and replays scripts ({@code --replay}).
 */
final class ReproRun {
    private final TestedDevice device;
    private final Patience patience;

    /**
     * The result of a script.
     *
     * @param ending {@code again}, {@code right} or {@code other}
     * @param differences differences from the run from which the script was made
     */
    record Outcome(String ending, String sentence, List<String> differences) {}

    ReproRun(TestedDevice device, Patience patience) {
        this.device = device;
        this.patience = patience;
    }

    /** {@return the file of a capture's script} */
    static Path script(Path capture) {
        String name = capture.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return capture.resolveSibling((dot <= 0 ? name : name.substring(0, dot)) + ".txt");
    }

    /** {@return lines about them, for the user} Writes a capture and a script, and tries the script on the device. */
    List<String> write(Result result, Path capture) throws IOException {
        Capture.write(capture, result.wires());
        List<String> lines = new ArrayList<>(List.of("capture      " + capture));
        Script script = ScriptMaker.of(result);
        if (script == null) {
            lines.add("no script: the conversation is too long, or not all of it is over TCP");
            return lines;
        }
        Path file = script(capture);
        String tried;
        try {
            // Bytes that differ between two runs of the same script are chosen by the device.
            script = ScriptPlayer.masked(script, new ScriptPlayer(device, patience).play(script));
            ScriptPlayer.Outcome again = new ScriptPlayer(device, patience).play(script);
            tried = again.ending() == ScriptPlayer.Ending.AGAIN
                    ? "tried: the fault occurs again"
                    : "tried: the fault does NOT occur again; " + again.sentence();
        } catch (IOException | IllegalStateException e) {
            tried = "could not be tried: " + e.getMessage();
        }
        List<String> head = new ArrayList<>(Explanation.of(result.test()));
        head.add("  repeat it    jwarp conform "
                + (device.role() == Role.RESPONDER ? "--peer HOST:PORT" : "--listen PORT")
                + " --replay " + file.getFileName());
        head.add("  the form     docs/conformance/methodology.md, Scripts");
        Files.writeString(file, script.text(head));
        lines.add("script       " + file + " (" + tried + ")");
        return lines;
    }

    /** Replays a script. */
    Outcome replay(Path file, List<String> lines) {
        try {
            ScriptPlayer.Outcome outcome = new ScriptPlayer(device, patience).play(Script.parse(lines));
            return new Outcome(
                    outcome.ending().name().toLowerCase(Locale.ROOT), outcome.sentence(), outcome.differences());
        } catch (IllegalArgumentException e) {
            throw ToolFailure.usage("cannot play " + file + ": " + e.getMessage());
        } catch (IOException | IllegalStateException e) {
            throw ToolFailure.setup("cannot replay " + file + ": " + e.getMessage());
        }
    }
}
