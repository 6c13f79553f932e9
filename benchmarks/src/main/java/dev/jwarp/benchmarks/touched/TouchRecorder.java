package dev.jwarp.benchmarks.touched;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Receives the calls that {@link Instrumenter} adds to classes. It records one thread, between {@link #begin} and
 * {@link #end}, and calls no rewritten class itself.
 */
public final class TouchRecorder {
    private static final int EXPECTED_OBJECTS = 256;

    private static final List<Site> SITES = new ArrayList<>();
    /** Names and descriptors of the rewritten methods. */
    private static final Set<String> METHODS = ConcurrentHashMap.newKeySet();

    private static Set<Object> objects = Set.of();
    private static int[] counts = new int[0];

    /** Other threads may see an old value, which is never the thread itself. */
    private static @Nullable Thread recorded;

    /**
     * What one message touched.
     *
     * @param objects distinct objects and arrays
     * @param counts executions by the number of the site
     */
    record Message(Set<Object> objects, int[] counts) {}

    private TouchRecorder() {}

    /** {@return a number for a site} Any thread: each thread loads classes. */
    static int number(Site site) {
        if (site.kind() == Site.Kind.METHOD) {
            METHODS.add(site.what());
        }
        synchronized (SITES) {
            SITES.add(site);
            return SITES.size() - 1;
        }
    }

    /** Starts a record of the calling thread, and drops the previous record. */
    static void begin() {
        objects = Collections.newSetFromMap(new IdentityHashMap<>(EXPECTED_OBJECTS));
        counts = new int[counts.length];
        recorded = Thread.currentThread();
    }

    /** {@return the record, which ends} Sum up after the last record: timers of jwarp may expire during a sum. */
    static Message end() {
        recorded = null;
        return new Message(objects, counts);
    }

    /** {@return the site with that number} */
    static Site site(int number) {
        synchronized (SITES) {
            return SITES.get(number);
        }
    }

    /**
     * Counts one execution.
     *
     * @param number of the site
     */
    public static void count(int number) {
        if (recorded != Thread.currentThread()) {
            return;
        }
        if (number >= counts.length) {
            counts = Arrays.copyOf(counts, 2 * number + 1);
        }
        counts[number]++;
    }

    /**
     * Notes an object or array that is read or written.
     *
     * @param object null if the program is about to throw
     */
    public static void touch(@Nullable Object object) {
        if (recorded == Thread.currentThread() && object != null) {
            objects.add(object);
        }
    }

    /**
     * Notes an argument of a method that is not rewritten: only buffers and arrays are taken to be read or written.
     *
     * @param object the argument
     */
    public static void argument(@Nullable Object object) {
        if (object instanceof Buffer || (object != null && object.getClass().isArray())) {
            touch(object);
        }
    }

    /**
     * Notes the receiver of a call of a method of the JDK, and counts the call unless a rewritten class overrides the
     * method.
     *
     * @param receiver of the call
     * @param number of the site
     */
    public static void call(@Nullable Object receiver, int number) {
        if (recorded != Thread.currentThread() || receiver == null) {
            return;
        }
        touch(receiver);
        if (!overridden(receiver.getClass(), site(number).signature())) {
            count(number);
        }
    }

    private static boolean overridden(Class<?> type, String signature) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            // A hidden class is a lambda expression: its code is a method of the class around it.
            if (one.isHidden() || METHODS.contains(one.getName() + "." + signature)) {
                return true;
            }
        }
        return false;
    }
}
