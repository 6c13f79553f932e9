package dev.jwarp.llp.capture;

import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A capture file by its name. Transports of one process with the same file name share it, so that traffic between them
 * is written once. Any thread.
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
     * {@return the file that a setting of a transport names; null for none} Close it once.
     *
     * @param key key of the setting
     * @param name value of the setting
     * @param epochNanos offset of the driver's clock to nanoseconds since 1970
     * @param log receives a sentence when a write to the file fails
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
     * {@return the file of that name, created if it is not open yet} Close it once.
     *
     * @param epochNanos offset of all times to nanoseconds since 1970
     * @param onFailure called once for all users when a write to the file fails
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

    /** {@return the writer} */
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

    /** Closes the file when its last user closes it. An incomplete file has been reported by then. */
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
                // reported when it happened
            }
        }
    }
}
