package dev.jwarp.ddp.llp.sim;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A capture file by its name. Transports of one process that name the same file, whatever they carry, share it: what goes
 * between them stands in it once. Any thread.
 */
public final class PcapFile implements Closeable {
    private static final Map<Path, PcapFile> OPEN = new HashMap<>();

    private final Path path;
    private final PcapWriter writer;
    private int users;

    private PcapFile(Path path, PcapWriter writer) {
        this.path = path;
        this.writer = writer;
    }

    /**
     * {@return the file of that name, begun if nobody has it open} Close it once.
     *
     * @param epochNanos what to add to the times given, so that they count from 1970
     */
    public static PcapFile open(String name, long epochNanos) throws IOException {
        synchronized (OPEN) {
            Path path = Path.of(name).toAbsolutePath().normalize();
            PcapFile file = OPEN.get(path);
            if (file == null) {
                file = new PcapFile(path, new PcapWriter(Files.newOutputStream(path), epochNanos));
                OPEN.put(path, file);
            }
            file.users++;
            return file;
        }
    }

    /** {@return where to write} */
    public PcapWriter writer() {
        return writer;
    }

    /**
     * Ends the file when its last user closes it.
     *
     * @throws IOException if it is not complete
     */
    @Override
    public void close() throws IOException {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(path);
            writer.close();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
