package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.repro.Script;
import dev.jwarp.conformance.repro.ScriptMaker;
import dev.jwarp.conformance.repro.ScriptPlayer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.ConnectingDevice;
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Runner;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.tools.Run;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Runs a case against the stack of the class loader that loaded this class, makes a script of it, and repeats that: its result, the script and
 * what came of it. Or repeats a script: what came of it.
 */
public final class ReproducedStack implements BiFunction<Object, Patience, List<Object>> {
    private static final Duration LIMIT = dev.jwarp.vectors.Patience.LIMIT;
    private static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Called by reflection. */
    public ReproducedStack() {}

    @Override
    public List<Object> apply(Object what, Patience patience) {
        Role role = what instanceof TestCase test ? test.device() : ((Script) what).device();
        ConformTarget target = new ConformTarget(
                RdmaProvider.load().devices().get(0),
                SelfExamination.SETTINGS,
                Run.later().console());
        try (TestedDevice device = role == Role.RESPONDER
                ? new ListeningDevice(target.listen(LOCAL), patience, Echo::new)
                : awaited(target, patience)) {
            return what instanceof TestCase test
                    ? reproduced(test, device, patience)
                    : List.of(new ScriptPlayer(device, patience).play((Script) what));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            // A faulty stack may take its time to end.
            inBackground(target::close);
        }
    }

    private static List<Object> reproduced(TestCase test, TestedDevice device, Patience patience) throws IOException {
        Result result = new Runner(patience, true, Exclusions.NONE, r -> {}).run(test, device);
        Script script = ScriptMaker.of(result);
        if (script == null) {
            return Arrays.asList(result, null, null);
        }
        script = ScriptPlayer.masked(script, new ScriptPlayer(device, patience).play(script));
        return List.of(result, script, new ScriptPlayer(device, patience).play(script));
    }

    private static ConnectingDevice awaited(ConformTarget target, Patience patience) throws IOException {
        // A device that gets no time connects late.
        Patience forConnections = Patience.of(patience.answerMillis(), patience.quietMillis(), LIMIT.toMillis());
        ConnectingDevice device = new ConnectingDevice(LOCAL, forConnections, Echo::new, port -> {});
        InetSocketAddress tester = new InetSocketAddress(LOCAL.getAddress(), device.port());
        inBackground(() -> target.connect(tester, LIMIT));
        return device;
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "reproduced-stack");
        thread.setDaemon(true);
        thread.start();
    }
}
