package dev.jwarp.rnic;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Arbitrary bytes, fed to a port with a UD and an RD queue pair. A build feeds every vector, and random changes of
 * vectors. With {@code -Pfuzz} Jazzer searches for further inputs for a given time: see CONTRIBUTING.md.
 */
public class DatagramFuzzTest {
    /** Vectors that one port is fed in one go: making a port takes longer than feeding it. */
    private static final int TOGETHER = 16;

    static final List<byte[]> VECTORS = Stream.of(false, true)
            .flatMap(malformed -> Vectors.datagrams(malformed).stream())
            .map(Vector::octets)
            .toList();

    /** Each vector unchanged, then addressed to an existing queue pair and region, then through a channel. */
    static Stream<Arguments> seeds() {
        List<Arguments> seeds = new ArrayList<>();
        for (int from = 0; from < VECTORS.size(); from += TOGETHER) {
            ByteArrayOutputStream seed = new ByteArrayOutputStream();
            VECTORS.subList(from, Math.min(from + TOGETHER, VECTORS.size()))
                    .forEach(vector -> seed.writeBytes(seed(vector)));
            seeds.add(Arguments.of((Object) seed.toByteArray()));
        }
        return seeds.stream();
    }

    private static byte[] seed(byte[] vector) {
        int[] wishes = {
            FuzzedPort.TRUSTED,
            FuzzedPort.SEAL | FuzzedPort.TO_UD | FuzzedPort.TO_REGION | FuzzedPort.TRUSTED,
            FuzzedPort.SEAL | FuzzedPort.TO_RD
        };
        ByteBuffer input = ByteBuffer.allocate(wishes.length * (3 + vector.length));
        for (int wish : wishes) {
            input.put((byte) wish).putShort((short) vector.length).put(vector);
        }
        return input.array();
    }

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        try (FuzzedPort port = new FuzzedPort()) {
            port.feedAll(input);
        }
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10m") // the last one, or Jazzer does not find it
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    @Label("vectors, changed, cut, doubled and mixed, are accepted or counted, and have no other effect")
    void changedVectors(@ForAll Random random) {
        try (FuzzedPort port = new FuzzedPort()) {
            byte[] before = VECTORS.get(0);
            for (int i = 0; i < 60; i++) {
                byte[] datagram = random.nextInt(4) == 0
                        ? before
                        : VECTORS.get(random.nextInt(VECTORS.size())).clone();
                before = datagram.clone();
                change(datagram, random);
                int wishes = random.nextInt(128) | (random.nextInt(8) > 0 ? FuzzedPort.SEAL : 0);
                wishes &= random.nextInt(10) > 0 ? ~FuzzedPort.LATER : -1;
                port.feed(wishes, datagram);
            }
        }
    }

    private static void change(byte[] datagram, RandomGenerator random) {
        for (int changes = random.nextInt(4); changes > 0 && datagram.length > 0; changes--) {
            int at = random.nextInt(Math.min(datagram.length, 64));
            datagram[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : datagram[at] ^ 1 << random.nextInt(8));
        }
    }
}
