package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.CaptureException;
import dev.jwarp.conformance.capture.CaptureFiles;
import dev.jwarp.conformance.capture.CaptureReader;
import dev.jwarp.conformance.capture.Frame;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Any capture is decoded or refused, without an exception. */
class MutationProperties {
    private static final List<Made> MADE =
            Stream.concat(Made.all(), Made.unreadable()).toList();
    private static final List<byte[]> FILES = files();

    private static List<byte[]> files() {
        List<byte[]> files = new ArrayList<>();
        try {
            for (Path file : CaptureFiles.kept("")) {
                files.add(Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Made.all()
                .map(Made::frames)
                .forEach(frames -> files.add(CaptureFiles.pcap(ByteOrder.BIG_ENDIAN, false, frames)));
        Made.unreadable()
                .map(Made::frames)
                .forEach(frames -> files.add(CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, frames)));
        return files;
    }

    /** Reads, decodes, and writes every line. */
    private static int decode(byte[] file, boolean named) throws IOException {
        TextLines text = new TextLines(true, true);
        JsonLines json = new JsonLines(true);
        int[] lines = new int[1];
        Messages sums = new Messages(
                item -> lines[0] += text.lines(item).size() + json.object(item).size());
        Decoder decoder = new Decoder(
                named ? Set.of(7174, 18515) : Set.of(),
                null,
                item -> {
                    lines[0] += text.lines(item).size() + json.object(item).size();
                    sums.accept(item);
                },
                sums::ended);
        try {
            CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(file));
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                decoder.frame(frame);
            }
        } catch (CaptureException e) {
            assertThat(e).hasMessageMatching("(?s)(the |frame |block ).*");
        }
        decoder.end();
        sums.end();
        assertThat(decoder.summary()).isNotEmpty();
        return lines[0];
    }

    @Property(tries = 600)
    @Label("a changed capture is decoded or refused")
    void changedCaptureIsDecodedOrRefused(
            @ForAll @IntRange(max = 1000) int which,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 40) int changes,
            @ForAll boolean named)
            throws IOException {
        byte[] file = FILES.get(which % FILES.size()).clone();
        Random random = new Random(seed);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(file.length);
            switch (random.nextInt(5)) {
                case 0 -> file[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> file[at] = (byte) 0xFF;
                case 2 -> file[at] = 0;
                case 3 -> {
                    // Well-formed headers in the wrong place.
                    int length = Math.min(random.nextInt(64), Math.min(file.length - at, 64));
                    int from = random.nextInt(file.length - length + 1);
                    System.arraycopy(file.clone(), from, file, at, length);
                }
                default -> file[at] = (byte) random.nextInt();
            }
        }
        decode(random.nextInt(4) == 0 ? Arrays.copyOf(file, random.nextInt(file.length)) : file, named);
    }

    /** The bytes after the headers of TCP may be anything. */
    @Property(tries = 600)
    @Label("changed payloads are decoded")
    void changedPayloadsAreDecoded(@ForAll @IntRange(max = 1000) int which, @ForAll long seed, @ForAll boolean named)
            throws IOException {
        Random random = new Random(seed);
        List<Frame> frames = new ArrayList<>();
        for (Frame frame : MADE.get(which % MADE.size()).frames()) {
            byte[] octets = frame.octets().clone();
            if (octets.length > 40 && random.nextInt(3) == 0) {
                octets[40 + random.nextInt(Math.min(octets.length - 40, 30))] ^= (byte) (1 << random.nextInt(8));
            }
            if (random.nextInt(20) != 0) {
                frames.add(Packets.frame(frame.number(), octets));
            }
        }
        decode(CaptureFiles.pcap(ByteOrder.BIG_ENDIAN, true, frames), named);
    }
}
