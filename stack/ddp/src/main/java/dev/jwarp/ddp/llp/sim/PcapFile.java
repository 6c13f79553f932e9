package dev.jwarp.ddp.llp.sim;

import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A capture file by its name. Transports of one process that name the same file, whatever they carry, share it: what goes
 * between them is in it once. Any thread.
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
     * {@return the file that a setting of a transport asks for; null if it asks for none} Close it once.
     *
     * @param key of the setting
     * @param name its value
     * @param epochNanos what to add to the driver's clock to get nanoseconds since 1970
     * @param log gets a sentence when the file cannot be written any more
     * @throws IllegalArgumentException if the file cannot be written
     */
    public static @Nullable PcapFile ofSetting(String key, String name, long epochNanos, Consumer<String> log) {
        if (name.isEmpty()) {
            return null;
        }
        try {
            return open(
                    name,
                    epochNanos,
                    e -> log.accept(
                            "The capture " + name + " ends here and is not complete: " + e + ". The traffic goes on."));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    key + "=" + name + " cannot be used: the file cannot be written (" + e + ")", e);
        }
    }

    /**
     * {@return the file of that name, begun if it is not open yet} Close it once.
     *
     * @param epochNanos what to add to the times given, so that they count from 1970
     * @param onFailure called when the file cannot be written any more, once for all that share it
     */
    public static PcapFile open(String name, long epochNanos, Consumer<IOException> onFailure) throws IOException {
        synchronized (OPEN) {
            Path path = Path.of(name).toAbsolutePath().normalize();
            PcapFile file = OPEN.get(path);
            if (file == null) {
                file = new PcapFile(path, new PcapWriter(Files.newOutputStream(path), epochNanos, onFailure));
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

    /** {@return a factory whose engines are written down} */
    public StreamEngineFactory tap(StreamEngineFactory engines) {
        return new PcapTap(engines, writer);
    }

    /** {@return a factory whose engines are written down} */
    public DatagramEngineFactory tap(DatagramEngineFactory engines) {
        return new PcapDatagramTap(engines, writer);
    }

    /** Ends the file when its last user closes it. Whether it is complete has been told by then, if it is not. */
    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(path);
            try {
                writer.close();
            } catch (IOException told) {
                // The one that was told when it happened.
            }
        }
    }
}
