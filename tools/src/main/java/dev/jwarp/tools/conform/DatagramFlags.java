package dev.jwarp.tools.conform;

import dev.jwarp.conformance.datagram.DatagramDevice;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What {@code jwarp conform} is told about datagrams. */
final class DatagramFlags {
    @Option(
            names = "--datagram",
            description = "Test datagram-iWARP in place of iWARP over TCP; the device at --peer is a datagram target.")
    private boolean datagram;

    /** The device behind a datagram target, once for each case at a time. */
    static List<DatagramDevice> devices(InetSocketAddress target, int jobs) {
        return Collections.nCopies(jobs, new DatagramDevice(target));
    }

    /** jwarp's datagrams under their own examination. */
    static List<Result> examine(
            RdmaProvider provider, Console console, int jobs, List<TestCase> cases, SelfExamination.Examiner examiner)
            throws InterruptedException, IOException {
        List<TestCase> own =
                cases.stream().filter(c -> c.device() == Role.DATAGRAM).toList();
        try (DatagramTarget target = new DatagramTarget(DatagramLink.device(provider), Map.of(), console)) {
            InetSocketAddress at = target.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return examiner.run(own, devices(at, jobs));
        }
    }

    /** Only datagram-iWARP is to be tested. */
    boolean only() {
        return datagram;
    }

    /**
     * Whether cases for devices in this role are to be run.
     *
     * @param listens the device listens, where it speaks TCP
     * @param all the cases of every role are wanted
     */
    boolean takes(Role role, boolean listens, boolean all) {
        if (datagram || role == Role.DATAGRAM) {
            return role == Role.DATAGRAM && (datagram || all);
        }
        return all || (role == Role.RESPONDER) == listens;
    }
}
