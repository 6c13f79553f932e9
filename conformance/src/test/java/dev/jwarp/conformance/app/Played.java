package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A program above a device, played by the test: it sends the test's messages. The device listens. */
final class Played implements AutoCloseable {
    private final Framer framer = new Framer(false, true);
    private final Socket device;
    private final Talk talk;
    private int msn;

    /** @param privateData of the device's Reply */
    Played(byte... privateData) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket tester = new Socket(listener.getInetAddress(), listener.getLocalPort());
            device = listener.accept();
            talk = new Talk(new Wire(tester), Role.RESPONDER, Patience.of(2_000, 50, 2_000));
        }
        device.getOutputStream()
                .write(StartFrame.reply().privateData(privateData).bytes());
        talk.open(StartFrame.request());
        device.getInputStream().readNBytes(StartFrame.request().bytes().length);
    }

    Talk talk() {
        return talk;
    }

    /** Sends the tester's next probe. */
    void probes(Application tester) {
        talk.send(tester.probe());
    }

    /** Checks that the tester takes the device's latest messages for a deviation. */
    static void deviates(Application tester, String words) {
        assertThatThrownBy(tester::expectAnswer).isInstanceOf(Deviation.class).hasMessageContaining(words);
    }

    void sends(String hex) throws IOException {
        says(Segment.send(++msn, Octets.hex(hex)));
    }

    void says(Segment segment) throws IOException {
        device.getOutputStream().write(framer.frame(segment.bytes()));
    }

    /** The bytes that the tester has sent. */
    Segment takes() throws IOException {
        int length = (int) Octets.number(device.getInputStream().readNBytes(2), 0, 2);
        byte[] ulpdu = device.getInputStream().readNBytes(length);
        device.getInputStream().readNBytes(-(2 + length) & 3);
        device.getInputStream().readNBytes(4);
        return Segment.parse(ulpdu);
    }

    @Override
    public void close() throws IOException {
        talk.close();
        device.close();
    }
}
