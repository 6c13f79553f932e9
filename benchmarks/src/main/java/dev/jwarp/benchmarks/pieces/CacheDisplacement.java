package dev.jwarp.benchmarks.pieces;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.function.LongUnaryOperator;

/**
 * A walk through data and compiled code, always the same, which displaces the content of a core's L1 caches and most of
 * its L2 cache.
 */
final class CacheDisplacement {
    private static final int DATA_BYTES = 512 * 1024;
    private static final int LINE_BYTES = 64;

    /** C2 makes 1,208 bytes of x86 code of each ({@code jcmd PID Compiler.codelist}): 512 KiB in all. */
    private static final int CLASSES = 434;

    /** Number of calls after which C2 compiles a method, and more. */
    private static final int WARM_UP = 10_000;

    private final byte[] data = new byte[DATA_BYTES];
    private final LongUnaryOperator[] code = new LongUnaryOperator[CLASSES];
    private long result;

    /** Defines the classes, which are not compiled yet. */
    CacheDisplacement() {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try (InputStream file = StraightLine.class.getResourceAsStream("CacheDisplacement$StraightLine.class")) {
            byte[] bytes = Objects.requireNonNull(file).readAllBytes();
            for (int i = 0; i < CLASSES; i++) {
                // each hidden class has machine code of its own
                Class<?> hidden = lookup.defineHiddenClass(bytes, true).lookupClass();
                code[i] = (LongUnaryOperator) hidden.getDeclaredConstructor().newInstance();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls one method after the other until it is compiled: the compiler delays methods while many are in its queue. */
    void warmUp() {
        for (LongUnaryOperator each : code) {
            for (int i = 0; i < WARM_UP; i++) {
                result = each.applyAsLong(result);
            }
        }
    }

    /** Walks once. */
    void displace() {
        long sum = result;
        for (int i = 0; i < DATA_BYTES; i += LINE_BYTES) {
            sum += data[i];
        }
        for (LongUnaryOperator each : code) {
            sum = each.applyAsLong(sum);
        }
        result = sum; // otherwise the compiler may remove the walk
    }

    /** Arithmetic that becomes machine code without branches, because the compiler inlines all calls. */
    static final class StraightLine implements LongUnaryOperator {
        @Override
        public long applyAsLong(long x) {
            return eight(eight(eight(eight(eight(eight(eight(eight(x))))))));
        }

        private static long eight(long x) {
            return one(one(one(one(one(one(one(one(x))))))));
        }

        private static long one(long x) {
            return (x ^ x >>> 7) + 0x1234567;
        }
    }
}
