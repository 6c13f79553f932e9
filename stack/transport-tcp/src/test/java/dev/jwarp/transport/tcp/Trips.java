package dev.jwarp.transport.tcp;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts calls, and throws before or after one of them, to simulate an exception of any call. Any thread. */
final class Trips {
    /** The exceptions to throw; without stack traces, which would fill the log. */
    enum Kind {
        INTERNAL_ERROR,
        OUT_OF_MEMORY,
        STACK_OVERFLOW,
        BUG;

        private Throwable thrown() {
            return switch (this) {
                case INTERNAL_ERROR ->
                    new InternalError("a fault occurred, thrown by a test") {
                        @Override
                        public synchronized Throwable fillInStackTrace() {
                            return this;
                        }
                    };
                case OUT_OF_MEMORY ->
                    new OutOfMemoryError("thrown by a test") {
                        @Override
                        public synchronized Throwable fillInStackTrace() {
                            return this;
                        }
                    };
                case STACK_OVERFLOW ->
                    new StackOverflowError("thrown by a test") {
                        @Override
                        public synchronized Throwable fillInStackTrace() {
                            return this;
                        }
                    };
                case BUG ->
                    new IllegalStateException("thrown by a test") {
                        @Override
                        public synchronized Throwable fillInStackTrace() {
                            return this;
                        }
                    };
            };
        }
    }

    private final int at;
    private final boolean afterwards;
    private final Kind kind;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean armed = true;

    /** Throws at call number {@code at}, the first is 1. */
    Trips(int at, boolean afterwards, Kind kind) {
        this.at = at;
        this.afterwards = afterwards;
        this.kind = kind;
    }

    /** Runs work without counting its calls. */
    void armed(boolean now) {
        armed = now;
    }

    /** {@return whether the call to throw at was reached} */
    boolean tripped() {
        return calls.get() >= at;
    }

    /** A call that can fail before it does anything. */
    void here() {
        if (armed && calls.incrementAndGet() == at) {
            Trips.<RuntimeException>raise(kind.thrown());
        }
    }

    /** {@return {@code target}, whose calls are counted} */
    <T> T around(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return call(target, method, arguments);
                    }
                    boolean now = armed && calls.incrementAndGet() == at;
                    if (now && !afterwards) {
                        throw kind.thrown();
                    }
                    Object answer = call(target, method, arguments);
                    if (now) {
                        throw kind.thrown();
                    }
                    return answer;
                }));
    }

    private static @Nullable Object call(Object target, java.lang.reflect.Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void raise(Throwable what) throws E {
        throw (E) what;
    }
}
