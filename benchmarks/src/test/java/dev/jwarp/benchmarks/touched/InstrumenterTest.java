package dev.jwarp.benchmarks.touched;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A rewritten class counts")
class InstrumenterTest {
    private static final int REPEATED = 3;

    /** Loads the classes of this test whose names begin with Counted, rewritten. */
    private static final class Rewriting extends ClassLoader {
        private static final String PREFIX = InstrumenterTest.class.getName() + "$Counted";

        private final Instrumenter instrumenter =
                new Instrumenter(name -> name.startsWith(PREFIX.replace('.', '/')), getParent());

        Rewriting() {
            super(InstrumenterTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PREFIX)) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] rewritten = instrumenter.rewrite(file.readAllBytes());
                return defineClass(name, rewritten, 0, rewritten.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Runnable rewritten(Class<? extends Runnable> sample) throws ReflectiveOperationException {
        Constructor<?> constructor = new Rewriting().loadClass(sample.getName()).getDeclaredConstructor();
        constructor.setAccessible(true); // another loader's package is another package
        return (Runnable) constructor.newInstance();
    }

    /** {@return the counts of one run} */
    private static Touched counts(Runnable rewritten) {
        TouchRecorder.begin();
        rewritten.run();
        TouchRecorder.Message message = TouchRecorder.end();
        rewritten.run();
        return Touched.sum(List.of(message));
    }

    private static long locked(Touched counts) {
        return counts.executions(kind -> kind.locked);
    }

    private static long calls(Touched counts) {
        return counts.executions(kind -> kind.call);
    }

    static class CountedPair {
        int value;
        long wide;
        volatile boolean flag;
    }

    static final class CountedObjects implements Runnable {
        private final CountedPair first = new CountedPair();
        private final CountedPair second = new CountedPair();
        private final CountedPair unused = new CountedPair();
        private final int[] ints = new int[2];
        private final long[] longs = new long[2];
        private final byte[] lengthOnly = new byte[1];
        private final byte[] readOnly = new byte[1];

        @Override
        public void run() {
            for (int i = 0; i < REPEATED; i++) {
                first.value = i;
                second.wide = unused == null ? 0 : 1;
                ints[1] = i;
                longs[0] = longs[1] + lengthOnly.length + readOnly[0];
            }
        }
    }

    @Test
    @DisplayName("each object and array once that it reads or writes")
    void objects() throws ReflectiveOperationException {
        Touched counts = counts(rewritten(CountedObjects.class));
        assertThat(counts.objects(false)).as("this and two pairs").isEqualTo(3);
        assertThat(counts.objects(true)).as("arrays").isEqualTo(4);
    }

    static final class CountedStores implements Runnable {
        private final long[] longs = new long[1];
        private final Object[] objects = new Object[1];

        @Override
        public void run() {
            longs[0] = 1;
            objects[0] = this;
        }
    }

    @Test
    @DisplayName("arrays that it only writes")
    void stores() throws ReflectiveOperationException {
        assertThat(counts(rewritten(CountedStores.class)).objects(true)).isEqualTo(2);
    }

    static final class CountedMonitors implements Runnable {
        @Override
        public void run() {
            synchronized (this) {
                inside();
            }
        }

        private synchronized void inside() {}
    }

    @Test
    @DisplayName("two locked instructions for each monitor")
    void monitors() throws ReflectiveOperationException {
        assertThat(locked(counts(rewritten(CountedMonitors.class)))).isEqualTo(4);
    }

    static final class CountedVolatiles extends CountedPair implements Runnable {
        private volatile long own;
        private int plain;

        @Override
        public void run() {
            own = 1;
            flag = own > 0 && plain == 0;
            plain = 0;
        }
    }

    @Test
    @DisplayName("volatile writes, also of an inherited field, and no volatile reads")
    void volatileWrites() throws ReflectiveOperationException {
        assertThat(locked(counts(rewritten(CountedVolatiles.class)))).isEqualTo(2);
    }

    static final class CountedAtomics implements Runnable {
        private static final VarHandle VALUE;

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(CountedPair.class, "value", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final AtomicLong atomic = new AtomicLong();
        private final CountedPair pair = new CountedPair();

        @Override
        public void run() {
            atomic.incrementAndGet();
            atomic.getAndAdd(2);
            atomic.compareAndSet(0, 1);
            atomic.set(3);
            VALUE.compareAndSet(pair, 0, 1);
            VALUE.setVolatile(pair, 2);
            VarHandle.fullFence();
            atomic.lazySet(atomic.get());
            VALUE.setRelease(pair, (int) VALUE.getAcquire(pair));
            VarHandle.releaseFence();
        }
    }

    @Test
    @DisplayName("atomic updates, volatile writes and full fences, and no ordered writes")
    void atomics() throws ReflectiveOperationException {
        Touched counts = counts(rewritten(CountedAtomics.class));
        assertThat(locked(counts)).isEqualTo(7);
        assertThat(counts.objects(false))
                .as("this, the atomic number and the pair")
                .isEqualTo(3);
    }

    static class CountedLock extends ReentrantLock {
        private static final long serialVersionUID = 1;

        @Override
        public void lock() {
            super.lock();
        }
    }

    static final class CountedLocks implements Runnable {
        private final ReentrantLock own = new CountedLock();
        private final ReentrantLock plain = new ReentrantLock();

        @Override
        public void run() {
            lock(own);
            lock(plain);
        }

        private static void lock(ReentrantLock lock) {
            lock.lock();
            try {
                assertThat(lock.isLocked()).isTrue();
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    @DisplayName("locks of the JDK, and an overridden method once")
    void locks() throws ReflectiveOperationException {
        assertThat(locked(counts(rewritten(CountedLocks.class)))).isEqualTo(4);
    }

    static final class CountedClock implements Runnable {
        @Override
        public void run() {
            long sum = System.nanoTime() + System.currentTimeMillis() + System.identityHashCode(this);
            assertThat(sum).isNotZero();
        }
    }

    @Test
    @DisplayName("reads of the clock")
    void clock() throws ReflectiveOperationException {
        assertThat(counts(rewritten(CountedClock.class)).executions(kind -> kind == Site.Kind.CLOCK))
                .isEqualTo(2);
    }

    static final class CountedMethods implements Runnable {
        @Override
        public void run() {
            empty();
            empty();
        }

        private void empty() {}
    }

    @Test
    @DisplayName("methods, their calls and their bytes")
    void methods() throws ReflectiveOperationException {
        Touched counts = counts(rewritten(CountedMethods.class));
        assertThat(counts.executions(kind -> kind == Site.Kind.METHOD)).isEqualTo(3);
        assertThat(counts.methods(method -> 1)).isEqualTo(2);
        assertThat(counts.methods(Site::size))
                .as("twice aload and invokevirtual, and two returns")
                .isEqualTo(2 * 4 + 2);
    }

    static final class CountedCalls implements Runnable {
        private final ByteBuffer from = ByteBuffer.allocate(8);
        private final ByteBuffer to = ByteBuffer.allocate(8);
        private final byte[] source = new byte[8];
        private final byte[] target = new byte[8];
        private final Runnable lambda = this::nothing;

        @Override
        public void run() {
            to.clear().put(0, from, 0, 1);
            System.arraycopy(source, 0, target, 0, source.length);
            lambda.run();
        }

        private void nothing() {}
    }

    @Test
    @DisplayName("calls of the JDK, their receivers, and buffers and arrays among their arguments")
    void callsOfJdk() throws ReflectiveOperationException {
        Touched counts = counts(rewritten(CountedCalls.class));
        assertThat(calls(counts)).as("clear, put, arraycopy").isEqualTo(3);
        assertThat(counts.objects(false)).as("this, two buffers, the lambda").isEqualTo(4);
        assertThat(counts.objects(true)).isEqualTo(2);
    }

    interface CountedCallee {
        void call();
    }

    static final class CountedInterfaceCall implements Runnable {
        private final CountedCallee lambda = this::nothing;

        @Override
        public void run() {
            lambda.call();
        }

        private void nothing() {}
    }

    @Test
    @DisplayName("the receiver of a call of its own interface, which is no call of the JDK")
    void interfaceCall() throws ReflectiveOperationException {
        Touched counts = counts(rewritten(CountedInterfaceCall.class));
        assertThat(counts.objects(false)).as("this and the lambda").isEqualTo(2);
        assertThat(calls(counts)).isZero();
    }

    @Test
    @DisplayName("the recorded thread only")
    void otherThread() throws ReflectiveOperationException, InterruptedException {
        Runnable sample = rewritten(CountedObjects.class);
        TouchRecorder.begin();
        Thread other = new Thread(sample);
        other.start();
        other.join();
        assertThat(Touched.sum(List.of(TouchRecorder.end()))).isEqualTo(new Touched());
    }
}
