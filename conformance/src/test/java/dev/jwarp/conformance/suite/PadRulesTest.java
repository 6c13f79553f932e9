package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.vectors.OwnThread;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The case for how a device reads pads")
class PadRulesTest {
    private static final int QUEUE_AT = 6;

    private final ServerSocket listener;
    private Patience patience = Patience.of(1_000, 10, 1_000);
    private FramingFault rule = FramingFault.NONE;
    private boolean crc = true;
    private boolean late;

    PadRulesTest() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    private void serve() {
        try {
            while (true) {
                Socket socket = listener.accept();
                OwnThread.EACH.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] header = in.readNBytes(StartFrame.HEADER);
            in.readNBytes(StartFrame.declaredLength(header));
            StartFrame reply = StartFrame.reply().enhanced(Depths.clientServer(4, 4));
            socket.getOutputStream().write((crc ? reply : reply.without(StartFrame.CRC)).bytes());
            socket.getOutputStream().write(answer(in));
            in.readAllBytes();
        } catch (IOException | InterruptedException e) {
            // The tester has finished.
        }
    }

    /** Waits for an FPDU that is whole by the device's rule. Its program does not answer unknown messages. */
    private byte[] answer(DataInputStream in) throws IOException, InterruptedException {
        int length = in.readUnsignedShort();
        byte[] ulpdu = in.readNBytes(length);
        byte[] pad = in.readNBytes(new Framing(false, rule, 0).padLength(length));
        byte[] body = new Octets().u16(length).add(ulpdu).add(pad).bytes();
        boolean wrong = crc && !Arrays.equals(in.readNBytes(4), Framer.crcOnTheWire(body, 0, body.length));
        if (!wrong && Octets.number(ulpdu, QUEUE_AT, 4) == 0) {
            if (!late) {
                return new byte[0];
            }
            Thread.sleep(10 * patience.answerMillis()); // the tester shows nothing when its patience ends
            return new Framer(false, crc).frame(Segment.send(1, new byte[40]).bytes());
        }
        Segment terminate = wrong ? Segment.terminate(2, 0, 2, 0) : Segment.terminate(1, 2, 1, 0);
        return new Framer(false, crc).frame(terminate.bytes());
    }

    /** Runs the case, which must end so; returns the reason. */
    private String run(Verdict verdict) {
        OwnThread.EACH.execute(this::serve);
        Survey survey = new Survey(Offer.USUAL.withCrc(crc), true, Set.of());
        TestedDevice tested = new ListeningDevice(
                new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), patience, Echo::new, survey);
        TestCase test = AllCases.suite().cases(Role.RESPONDER, List.of("MPA-4.1-1")).stream()
                .filter(one -> one.id().contains("reads-pads"))
                .findFirst()
                .orElseThrow();
        Result result = new Runner(patience, true, Exclusions.NONE, r -> {}).run(test, tested);
        assertThat(result.verdict()).as(result.actual()).isEqualTo(verdict);
        return result.actual();
    }

    @ParameterizedTest
    @EnumSource(names = {"PAD_TO_8", "PAD_WITHOUT_LENGTH"})
    @DisplayName("charges a device that reads by another rule, and names the rule:")
    void otherRule(FramingFault fault) {
        rule = fault;
        assertThat(run(Verdict.FAIL)).contains(fault.words());
    }

    @Test
    @DisplayName("charges nothing to a correct device whose program is late, and says how long to wait")
    void late() {
        late = true;
        patience = Patience.of(300, 10, 20_000);
        assertThat(run(Verdict.INCONCLUSIVE)).contains("set --timeout to");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("charges nothing to a correct device whose program never answers (with CRCs):")
    void silentProgram(boolean withCrc) {
        crc = withCrc;
        assertThat(run(Verdict.INCONCLUSIVE)).contains("the program there does not do what --profile echo says");
    }

    @Test
    @DisplayName("reports only that for a device that cannot be connected to")
    void noConnection() throws IOException {
        listener.close();
        assertThat(run(Verdict.INCONCLUSIVE)).contains("cannot connect to ");
    }
}
