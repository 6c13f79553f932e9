package dev.jwarp.tools.conform;

import java.util.Map;

/**
 * How jwarp is set up to be tested by itself: as it comes, but with time-outs that a test can wait for, with the read
 * depths that the cases need, and without the empty Write that an initiator may send when nothing comes for a while: a
 * slow tester would meet it where it expects an answer.
 */
final class SelfTest {
    static final Map<String, String> SETTINGS = Map.of(
            "jwarp.tcp.request-timeout", "1500",
            "jwarp.tcp.stall-timeout", "10000",
            "jwarp.tcp.linger", "1000",
            "jwarp.device.read-depth", "16",
            "jwarp.rdmap.nudge", "off");

    private SelfTest() {}
}
