package dev.jwarp.benchmarks.touched;

import java.util.Set;

/** Which methods of the JDK execute a locked instruction or read the clock. On x86 reads are never locked. */
final class JdkMethods {
    private static final String ATOMIC = "java/util/concurrent/atomic/";
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final Set<String> CLOCKS = Set.of("nanoTime", "currentTimeMillis");
    private static final Set<String> LOCKING =
            Set.of("lock", "tryLock", "lockInterruptibly", "unlock", "acquire", "tryAcquire", "release");
    private static final Set<String> ADDING = Set.of("add", "increment", "decrement", "accumulate");

    private JdkMethods() {}

    /** {@return the kind of a call} The owner is an internal name. */
    static Site.Kind kind(String owner, String name) {
        if ((owner.equals("java/lang/System") && CLOCKS.contains(name))
                || (owner.equals("java/time/Instant") && name.equals("now"))) {
            return Site.Kind.CLOCK;
        }
        return isLocked(owner, name) ? Site.Kind.LOCKED_CALL : Site.Kind.CALL;
    }

    private static boolean isLocked(String owner, String name) {
        if (owner.startsWith(LOCKS) || owner.equals("java/util/concurrent/Semaphore")) {
            return LOCKING.contains(name);
        }
        if (owner.startsWith(ATOMIC)) {
            return name.equals("set") || isReadAndWrite(name) || (owner.endsWith("Adder") && ADDING.contains(name));
        }
        return isConstant(owner)
                && (name.equals("setVolatile")
                        || name.equals("fullFence")
                        || (name.startsWith("put") && name.endsWith("Volatile"))
                        || isReadAndWrite(name));
    }

    private static boolean isReadAndWrite(String name) {
        return name.startsWith("compareAnd")
                || name.startsWith("weakCompareAnd")
                || name.startsWith("getAnd")
                || name.endsWith("AndGet");
    }

    /** {@return whether objects of the class are constants for the compiler} The first argument is accessed. */
    static boolean isConstant(String owner) {
        return owner.equals("java/lang/invoke/VarHandle")
                || owner.endsWith("/misc/Unsafe")
                || (owner.startsWith(ATOMIC) && owner.endsWith("FieldUpdater"));
    }
}
