package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.datagram.DatagramDevice;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.ConnectingDevice;
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Runner;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiFunction;

/** Runs one case against the stack of the class loader that loaded this class. */
public final class ExaminedStack implements BiFunction<TestCase, Patience, Result> {
    private static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Called by reflection. */
    public ExaminedStack() {}

    @Override
    public Result apply(TestCase test, Patience patience) {
        if (test.device() == Role.DATAGRAM) {
            return datagrams(test, patience);
        }
        ConformTarget target = new ConformTarget(
                RdmaProvider.load().devices().get(0),
                SelfExamination.SETTINGS,
                Run.later().console());
        try (Subject device = test.device() == Role.RESPONDER ? dialled(target, patience) : awaited(target, patience)) {
            return new Runner(patience, true, Exclusions.NONE, r -> {}).run(test, device);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            // A faulty stack may take its time to end.
            inBackground(target::close);
        }
    }

    private static Result datagrams(TestCase test, Patience patience) {
        try (DatagramFlags.SelfKeys keys = new DatagramFlags.SelfKeys()) {
            DatagramTarget target = new DatagramTarget(
                    DatagramLink.device(RdmaProvider.load()),
                    keys.settings(),
                    Run.later().console());
            try (Subject device = new DatagramDevice(target.listen(LOCAL), keys.ring())) {
                return new Runner(patience, true, Exclusions.NONE, r -> {}).run(test, device);
            } finally {
                inBackground(target::close);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Subject dialled(ConformTarget target, Patience patience) {
        return new ListeningDevice(target.listen(LOCAL), patience, Echo::new);
    }

    private static Subject awaited(ConformTarget target, Patience patience) throws IOException {
        ConnectingDevice device = new ConnectingDevice(LOCAL, patience, Echo::new, port -> {});
        InetSocketAddress tester = new InetSocketAddress(LOCAL.getAddress(), device.port());
        inBackground(() -> target.connect(tester, dev.jwarp.vectors.Patience.LIMIT));
        return device;
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "examined-stack");
        thread.setDaemon(true);
        thread.start();
    }
}
