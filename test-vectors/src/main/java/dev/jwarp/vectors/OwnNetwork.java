package dev.jwarp.vectors;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network of a test's own: a namespace of Linux, in which a program has the loopback, the interfaces {@code jwarp0} with 10.77.0.1/24,
 * {@code jwarp1} with 10.77.1.1/24 and {@code jwarp2} with fd77::1/64, whose cables are out, and {@code jwarp3} with 10.77.3.1/24 and fd77:3::1/64, whose cable ends at {@code jwarp4}.
 * Nothing that it sends leaves the namespace.
 */
public final class OwnNetwork {
    private static final List<String> BEFORE = List.of("unshare", "--map-root-user", "--net", "sh", "-ec", """
            ip link set lo up
            for n in 0 1 2; do
                ip tuntap add jwarp$n mode tap
                ip link set jwarp$n up
                test $n = 2 || ip addr add 10.77.$n.1/24 dev jwarp$n
            done
            ip addr add fd77::1/64 dev jwarp2 nodad
            ip link add jwarp3 type veth peer name jwarp4
            for n in 3 4; do ip link set jwarp$n addrgenmode none up; done
            ip addr add 10.77.3.1/24 dev jwarp3
            ip addr add fd77:3::1/64 dev jwarp3 nodad
            exec "$@"
            """, "sh");

    private OwnNetwork() {}

    /** {@return a command that runs that one there} */
    public static List<String> inside(List<String> command) {
        List<String> whole = new ArrayList<>(BEFORE);
        whole.addAll(command);
        return whole;
    }

    /** {@return whether this user may have one on this system} */
    public static boolean possible() throws InterruptedException {
        try {
            Process process = new ProcessBuilder(inside(List.of("true")))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return process.waitFor(Patience.SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return false; // there is no such command
        }
    }
}
