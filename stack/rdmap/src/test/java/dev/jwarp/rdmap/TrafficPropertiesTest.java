package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.rdmap.message.RdmapOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

@Label("Two streams with random operations of all kinds")
class TrafficPropertiesTest {
    private static final int STEPS = 200_000;

    /** Two connected sides, and a seeded random choice of the next step. */
    private static final class Scene {
        final Random random;
        final Traffic a;
        final Traffic b;

        Scene(long seed, int operations) {
            random = new Random(seed);
            a = new Traffic(seed, operations);
            b = new Traffic(~seed, operations);
            a.meet(b);
            b.meet(a);
            ReadyToReceive message = random.nextBoolean()
                    ? ReadyToReceive.NONE
                    : random.nextBoolean() ? ReadyToReceive.READ : ReadyToReceive.WRITE;
            Pair.connected(a.station, b.station, 1 + random.nextInt(4), 1 + random.nextInt(4), message);
        }

        void step(int steps) {
            for (int i = 0; i < steps && !quiet(); i++) {
                boolean fromA = random.nextBoolean();
                Traffic from = fromA ? a : b;
                Station to = (fromA ? b : a).station;
                FakeLowerLayer lower = from.station.lower;
                switch (random.nextInt(5)) {
                    case 0 -> from.post();
                    case 1, 2 -> {
                        lower.mulpdu = random.nextBoolean() ? 128 + random.nextInt(200) : 1454;
                        lower.poll(from.station.stream, i);
                    }
                    case 3 -> lower.transmit(from.station.stream, i);
                    default -> {
                        byte[] ulpdu = lower.wire.poll();
                        if (ulpdu != null) {
                            to.take(ulpdu);
                        }
                    }
                }
            }
        }

        boolean quiet() {
            return a.finishedPosting()
                    && b.finishedPosting()
                    && a.station.sends().size() == a.posted()
                    && b.station.sends().size() == b.posted()
                    && a.station.lower.wire.isEmpty()
                    && b.station.lower.wire.isEmpty();
        }
    }

    @Tag("RDMAP-5.2.2-4")
    @Tag("RDMAP-6.1-1")
    @Property
    @Label("every operation completes once, in order, with the right bytes, for any timing of the ULPDUs")
    void everythingArrives(@ForAll long seed) {
        Scene scene = new Scene(seed, 60);
        scene.step(STEPS);
        assertThat(scene.quiet()).as("all is done within the steps").isTrue();
        scene.a.assertAllDone();
        scene.b.assertAllDone();
        assertThat(scene.a.station.failures + scene.b.station.failures).isZero();
    }

    @Property
    @Label("every operation completes once, in order, whenever and however the stream ends")
    void everythingComesBack(@ForAll long seed) {
        Scene scene = new Scene(seed, 60);
        scene.step(scene.random.nextInt(1500));
        Station a = scene.a.station;
        Station b = scene.b.station;
        int how = scene.random.nextInt(6);
        switch (how) {
            case 0 -> a.stream.fail(0);
            case 1 -> a.take(Ulpdus.write(1, 0, (byte) 1));
            case 2 -> a.stream.terminate(dev.jwarp.llp.TerminateCode.RDMAP_LOCAL_CATASTROPHIC, 0);
            case 3 -> a.stream.onPeerClosed(0);
            case 4 -> {
                a.stream.disconnect(0);
                if (scene.random.nextBoolean()) {
                    a.stream.onTimeout(a.stream.nextTimeout());
                }
            }
            default -> a.stream.onLlpError(dev.jwarp.llp.TerminateCode.MPA_CRC, scene.random.nextBoolean(), 0);
        }
        a.lower.sent(a.stream).forEach(ulpdu -> {
            if (!b.lower.closeRequested) {
                b.take(ulpdu);
            }
        });
        a.stream.onClosed(a.lower.aborted ? LlpEnd.ABORTED : LlpEnd.GRACEFUL, 0);
        b.stream.onClosed(LlpEnd.RESET, 0);
        scene.a.assertAllBack(how == 3);
        scene.b.assertAllBack(false);
        assertThat(a.end).isNotNull();
        assertThat(a.failures).isLessThanOrEqualTo(1);
        assertThat(b.failures).isLessThanOrEqualTo(1);
    }

    @Property
    @Label("any mutation of the peer's data ends in a code or in valid messages, never outside the memory it may"
            + " write")
    void mutations(@ForAll long seed) {
        // First record the ULPDUs that b sends to a.
        Scene scene = new Scene(seed, 25);
        List<byte[]> fromB = new ArrayList<>();
        postAll(scene);
        for (int i = 0; i < 500 && !scene.quiet(); i++) {
            scene.a.station.lower.sent(scene.a.station.stream).forEach(scene.b.station::take);
            for (byte[] ulpdu : scene.b.station.lower.sent(scene.b.station.stream)) {
                fromB.add(ulpdu);
                scene.a.station.take(ulpdu);
            }
            postAll(scene);
        }
        assertThat(scene.quiet()).isTrue();

        // Then replay them to the same a, with mutations.
        Scene again = new Scene(seed, 25);
        postAll(again);
        Random random = new Random(seed * 31);
        Station a = again.a.station;
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            mutate(fromB, random);
        }
        List<byte[]> answers = new ArrayList<>();
        for (byte[] ulpdu : fromB) {
            answers.addAll(a.lower.sent(a.stream));
            a.take(ulpdu);
            postAll(again);
        }
        answers.addAll(a.lower.sent(a.stream));

        assertThat(a.stream.state()).isIn(StreamState.RTS, StreamState.TERMINATE);
        boolean terminated = false;
        for (byte[] answer : answers) {
            assertThat(terminated).as("nothing follows a Terminate").isFalse();
            terminated = Ulpdus.opcode(answer) == RdmapOpcode.TERMINATE;
        }
        assertThat(terminated).isEqualTo(a.stream.state() == StreamState.TERMINATE && a.failureFoundHere);
        again.a.assertGuardsIntact();
        a.stream.onClosed(LlpEnd.RESET, 0);
        again.a.assertAllBack(false);
    }

    private static void postAll(Scene scene) {
        boolean more = true;
        while (more) {
            more = scene.a.post();
            more |= scene.b.post();
        }
    }

    private static void mutate(List<byte[]> ulpdus, Random random) {
        if (ulpdus.isEmpty()) {
            return;
        }
        int at = random.nextInt(ulpdus.size());
        byte[] ulpdu = ulpdus.get(at).clone();
        switch (random.nextInt(8)) {
            case 0 -> ulpdus.remove(at);
            case 1 -> ulpdus.add(random.nextInt(ulpdus.size() + 1), ulpdu);
            case 2 -> ulpdus.set(at, Arrays.copyOf(ulpdu, random.nextInt(ulpdu.length + 1)));
            case 3 -> ulpdus.set(at, Arrays.copyOf(ulpdu, ulpdu.length + 1 + random.nextInt(60)));
            case 4 -> {
                byte[] noise = new byte[random.nextInt(200)];
                random.nextBytes(noise);
                ulpdus.set(at, noise);
            }
            default -> {
                // Most often one bit, most often of the header, because such faults are the hardest to find.
                int octets = Math.min(ulpdu.length, random.nextInt(4) == 0 ? ulpdu.length : 46);
                if (octets > 0) {
                    ulpdu[random.nextInt(octets)] ^= (byte) (1 << random.nextInt(8));
                }
                ulpdus.set(at, ulpdu);
            }
        }
    }
}
