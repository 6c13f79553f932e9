package dev.jwarp.conformance.capture;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Makes capture files, and finds stored ones. */
public final class CaptureFiles {
    /**
     * Captures of Linux's siw, made in a guest (rping and perftest between two siw devices, Terminates of siw), and of {@code jwarp udping}.
     */
    public static final Path KEPT = Path.of("src/test/resources/dev/jwarp/conformance/captures");

    private CaptureFiles() {}

    public static byte[] pcap(ByteOrder order, boolean nanos, List<Frame> frames) {
        int size = 24 + frames.stream().mapToInt(f -> 16 + f.octets().length).sum();
        ByteBuffer file = ByteBuffer.allocate(size).order(order);
        file.putInt(nanos ? 0xA1B23C4D : 0xA1B2C3D4).putShort((short) 2).putShort((short) 4);
        file.putLong(0)
                .putInt(262_144)
                .putInt(frames.isEmpty() ? 101 : frames.get(0).linkType());
        for (Frame frame : frames) {
            long rest = frame.nanos() % 1_000_000_000L;
            file.putInt((int) (frame.nanos() / 1_000_000_000L)).putInt((int) (nanos ? rest : rest / 1000));
            file.putInt(frame.octets().length).putInt((int) frame.originalLength());
            file.put(frame.octets());
        }
        return file.array();
    }

    /** The stored captures whose names begin so. */
    public static List<Path> kept(String prefix) {
        try (Stream<Path> files = Files.list(KEPT)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All frames of a file that is in memory. */
    public static List<Frame> read(byte[] file) throws IOException {
        CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(file));
        List<Frame> frames = new ArrayList<>();
        for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
            frames.add(frame);
        }
        return frames;
    }
}
