package dev.jwarp.benchmarks.touched;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** The agent of {@code benchmarks/profile --footprint}: it rewrites the classes of jwarp and of jctools. */
public final class TouchAgent implements ClassFileTransformer {
    private final Instrumenter instrumenter =
            new Instrumenter(TouchAgent::isRewritten, ClassLoader.getSystemClassLoader());

    private TouchAgent() {}

    /**
     * Called by the JVM before the program.
     *
     * @param arguments none
     * @param instrumentation of this JVM
     */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new TouchAgent());
    }

    private static boolean isRewritten(String internalName) {
        return internalName.startsWith("org/jctools/")
                || (internalName.startsWith("dev/jwarp/") && !internalName.startsWith("dev/jwarp/benchmarks/"));
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] classFile) {
        if (name == null || !isRewritten(name)) {
            return null;
        }
        try {
            return instrumenter.rewrite(classFile);
        } catch (RuntimeException e) {
            // The JVM would load the class as it is, without a word, and the counts would be too low.
            System.err.println(name + " cannot be rewritten: " + e);
            Runtime.getRuntime().halt(1);
            throw e;
        }
    }
}
