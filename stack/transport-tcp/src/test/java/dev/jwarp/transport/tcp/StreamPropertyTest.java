package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Properties of any stream of octets, with any split and any change. */
@Label("Any stream of bytes")
class StreamPropertyTest {
    private static final StartParameters OFFER = new StartParameters(4, 4, new byte[] {'p', 'd'});
    private static final int REQUEST_LENGTH = 26;

    /** A responder that accepts, and the calls of its layer above. */
    private static final class Side {
        final MpaEngineFactory factory;
        final RecordingUpper upper = new RecordingUpper();
        final RecordingHandler handler = new RecordingHandler();
        final TestDriver driver;

        Side(boolean initiator, boolean markers) {
            factory = TestDriver.factory("jwarp.mpa.markers", markers ? "on" : "off", "jwarp.mpa.emss", "65483");
            handler.onRequest = connection -> connection.accept(OFFER, upper);
            driver = initiator
                    ? TestDriver.initiator(factory, OFFER, upper, handler)
                    : TestDriver.responder(factory, handler);
        }
    }

    /** {@return the bytes of an initiator: its Request, then the FPDUs of {@code ulpdus}} */
    private static byte[][] conversation(boolean markers, List<byte[]> ulpdus) {
        Side client = new Side(true, markers);
        Side server = new Side(false, markers);
        byte[] request = client.driver.take();
        server.driver.feed(request);
        client.driver.feed(server.driver.take());
        client.upper.toSend.addAll(ulpdus);
        client.driver.pump();
        return new byte[][] {request, client.driver.take()};
    }

    private static List<byte[]> ulpdus(Random random, int count, int longest) {
        List<byte[]> ulpdus = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] ulpdu = new byte[random.nextInt(longest + 1)];
            random.nextBytes(ulpdu);
            ulpdus.add(ulpdu);
        }
        return ulpdus;
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    @Label("gives the same ULPDUs at any split")
    void anySplit(
            @ForAll boolean markers,
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 12) int count,
            @ForAll @IntRange(min = 1, max = 30_000) int longest,
            @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 70_000) Integer> cuts) {
        List<byte[]> sent = ulpdus(new Random(seed), count, longest);
        byte[][] stream = conversation(markers, sent);
        Side server = new Side(false, markers);
        feedInPieces(server.driver, stream[0], cuts);
        feedInPieces(server.driver, stream[1], cuts);
        assertThat(server.upper.received).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(server.upper.received.get(i)).isEqualTo(sent.get(i));
        }
        assertThat(server.factory.reassemblyOctets()).isZero();
        server.driver.fin();
        if (count > 0) {
            assertThat(server.upper.events).endsWith("peer closed");
        } else {
            // RFC 5044 §7.1.2 (4): without an FPDU of the initiator the responder may send nothing.
            assertThat(server.upper.events).endsWith("peer closed", "closed GRACEFUL");
        }
    }

    @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
    @Label("with a change ends in a typed error or in the sent ULPDUs, never in anything else")
    void anyMutation(
            @ForAll boolean markers,
            @ForAll boolean request,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 5) int mutations,
            @ForAll @Size(min = 1, max = 4) List<@IntRange(min = 1, max = 3_000) Integer> cuts) {
        Random random = new Random(seed);
        List<byte[]> sent = ulpdus(random, 4, 1_500);
        byte[][] stream = conversation(markers, sent);
        int changed = request ? 0 : 1;
        for (int i = 0; i < mutations; i++) {
            stream[changed] = mutate(stream[changed], random);
        }
        Side server = new Side(false, markers);
        feedInPieces(server.driver, stream[0], cuts);
        feedInPieces(server.driver, stream[1], cuts);
        assertThat(server.factory.reassemblyOctets()).isLessThanOrEqualTo(70_000);

        // With CRCs only sent ULPDUs are delivered, in order and from the beginning.
        List<byte[]> received = server.upper.received;
        assertThat(received.size()).isLessThanOrEqualTo(sent.size());
        if (!request) {
            for (int i = 0; i < received.size(); i++) {
                assertThat(received.get(i)).isEqualTo(sent.get(i));
            }
        }
        if (server.driver.ending() == Ending.OPEN) {
            server.driver.fin();
            server.driver.connection().close();
            server.driver.pump();
            server.driver.advance(60_000);
        }
        assertThat(server.driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(server.factory.reassemblyOctets()).isZero();
        assertThat(server.factory.batchesInUse()).isZero();
        assertThat(server.upper.events.stream().filter(e -> e.startsWith("closed")))
                .hasSize(server.upper.lower == null ? 0 : 1);
    }

    @Property(tries = 500)
    @Label("of garbage ends a start-up in either role, and a responder answers nothing")
    void garbage(@ForAll boolean initiator, @ForAll @Size(min = 1, max = 600) byte[] octets) {
        Side side = new Side(initiator, false);
        side.driver.take();
        side.driver.feed(octets);
        side.driver.advance(20_000);
        assertThat(side.driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(side.handler.events).hasSize(1).first().asString().startsWith("failed");
        assertThat(side.driver.take()).isEmpty();
    }

    private static void feedInPieces(TestDriver driver, byte[] octets, List<Integer> cuts) {
        int at = 0;
        for (int i = 0; at < octets.length; i++) {
            int piece = Math.min(cuts.get(i % cuts.size()), octets.length - at);
            ByteBuffer in =
                    ByteBuffer.allocateDirect(piece).put(octets, at, piece).flip();
            driver.feed(in);
            at += piece;
        }
    }

    private static byte[] mutate(byte[] octets, Random random) {
        if (octets.length == 0) {
            return octets;
        }
        int at = random.nextInt(octets.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(octets, 0, at);
        switch (random.nextInt(5)) {
            case 0 -> { // a flipped bit
                out.write(octets[at] ^ 1 << random.nextInt(8));
                out.write(octets, at + 1, octets.length - at - 1);
            }
            case 1 -> out.write(octets, at + 1, octets.length - at - 1); // one lost
            case 2 -> { // one too many
                out.write(random.nextInt());
                out.write(octets, at, octets.length - at);
            }
            case 3 -> { // the end lost
            }
            default -> { // a part twice
                int from = random.nextInt(at + 1);
                out.write(octets, from, octets.length - from);
            }
        }
        return out.toByteArray();
    }

    /** Assumptions of the tests above. */
    @Property(tries = 1)
    @Label("begins with a Request of " + REQUEST_LENGTH + " bytes here")
    void requestLength() {
        assertThat(conversation(false, List.of())[0]).hasSize(REQUEST_LENGTH);
    }
}
