package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bytes that the demo moves. They can be read at any offset any number of times, so they never have to be in memory
 * as a whole. One thread at a time.
 */
interface Content extends AutoCloseable {
    /** {@return the number of bytes} */
    long size();

    /** {@return a description for the user} */
    String description();

    /** Fills {@code target} from its position to its limit with the bytes from {@code offset} on. */
    void read(long offset, ByteBuffer target);

    @Override
    void close();

    /** {@return content generated from a seed: the same seed gives the same bytes on every machine} */
    static Content generated(long size, long seed) {
        return new Generated(size, seed);
    }

    /** {@return the content of a file} */
    static Content file(Path path) {
        return new OfFile(path);
    }

    /**
     * Every eight bytes are the splitmix64 hash of their index. There is no state, so any offset can be read directly.
     */
    class Generated implements Content {
        private final long size;
        private final long seed;

        Generated(long size, long seed) {
            this.size = size;
            this.seed = seed;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public String description() {
            return "generated from seed " + seed;
        }

        @Override
        public void read(long offset, ByteBuffer target) {
            ByteBuffer to = target.duplicate().order(ByteOrder.BIG_ENDIAN);
            target.position(target.limit());
            long at = offset;
            while (to.hasRemaining() && (at & 7) != 0) {
                to.put(octet(at++));
            }
            for (; to.remaining() >= Long.BYTES; at += Long.BYTES) {
                to.putLong(word(at >> 3));
            }
            while (to.hasRemaining()) {
                to.put(octet(at++));
            }
        }

        private byte octet(long at) {
            return (byte) (word(at >> 3) >>> (56 - 8 * (at & 7)));
        }

        private long word(long index) {
            long z = seed + (index + 1) * 0x9E3779B97F4A7C15L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }

        @Override
        public void close() {}
    }

    /** A file, opened for reading. */
    final class OfFile implements Content {
        private final Path path;
        private final FileChannel channel;
        private final long size;

        OfFile(Path path) {
            this.path = path;
            if (Files.isDirectory(path)) {
                throw ToolFailure.usage(path + " is a directory; --file takes a file");
            }
            try {
                channel = FileChannel.open(path, StandardOpenOption.READ);
                size = channel.size();
            } catch (NoSuchFileException e) {
                throw ToolFailure.usage("there is no file " + path);
            } catch (IOException e) {
                throw ToolFailure.setup("cannot read " + path + ": " + e.getMessage());
            }
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public String description() {
            return path.toString();
        }

        @Override
        public void read(long offset, ByteBuffer target) {
            long at = offset;
            try {
                while (target.hasRemaining()) {
                    int n = channel.read(target, at);
                    if (n < 0) {
                        throw ToolFailure.failed(path + " became shorter while it was read: it ends at " + at
                                + ", at the start it had " + size + " bytes");
                    }
                    at += n;
                }
            } catch (IOException e) {
                throw ToolFailure.failed("cannot read " + path + " at " + at + ": " + e.getMessage());
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                // The file was only read, so nothing is lost.
            }
        }
    }
}
