package dev.jwarp.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.RdmaProvider;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.net.URL;
import java.util.Collections;
import java.util.Objects;

/** Makes DiSNI run on jwarp, whatever the order of the jars. Any thread. */
public final class JwarpDisni {
    private static final String AFFINITY = "com.ibm.disni.util.NativeAffinity";

    private JwarpDisni() {}

    /**
     * Makes jwarp DiSNI's provider. Call this before any other method of DiSNI. Not needed if the jar of jwarp comes
     * before DiSNI's on the class path.
     *
     * @throws IllegalStateException if DiSNI has another provider already, or is of another version; the message says what to do
     */
    @SuppressWarnings("LockOnNonEnclosingClassLiteral") // the lock of RdmaProvider.provider()
    public static void install() {
        DisniVersion.check(); // before JwarpProvider, which cannot be loaded with DiSNI 1
        synchronized (RdmaProvider.class) {
            try {
                Field field = RdmaProvider.class.getDeclaredField("provider");
                field.setAccessible(true);
                Object there = field.get(null);
                if (there instanceof JwarpProvider) {
                    return;
                }
                if (there != null) {
                    throw new IllegalStateException(
                            "DiSNI has the provider " + there.getClass().getName() + " already: " + EARLIER);
                }
                replaceAffinity();
                field.set(null, new JwarpProvider());
            } catch (ReflectiveOperationException | InaccessibleObjectException e) {
                throw new IllegalStateException(DisniVersion.OTHER, e);
            } catch (IOException e) {
                throw new IllegalStateException("A class of jwarp-disni cannot be read: " + e.getMessage(), e);
            }
        }
    }

    /** Defines a class in place of the one that loads the native library, which DiSNI's completion threads call. */
    private static void replaceAffinity() throws IOException, ReflectiveOperationException {
        try (InputStream bytes = ourAffinity().openStream()) {
            MethodHandles.privateLookupIn(MemoryUtils.class, MethodHandles.lookup())
                    .defineClass(bytes.readAllBytes());
        } catch (LinkageError e) { // DiSNI's class is loaded already
            try {
                Class.forName(AFFINITY, true, MemoryUtils.class.getClassLoader());
            } catch (LinkageError notOurs) {
                throw new IllegalStateException("DiSNI has loaded its native library already: " + EARLIER, e);
            }
        }
    }

    /** {@return the class file from the same place as this class} */
    private static URL ourAffinity() throws IOException {
        ClassLoader loader = JwarpDisni.class.getClassLoader();
        String self = resource(JwarpDisni.class.getName());
        String root =
                Objects.requireNonNull(loader.getResource(self)).toString().replace(self, "");
        for (URL one : Collections.list(loader.getResources(resource(AFFINITY)))) {
            if (one.toString().startsWith(root)) {
                return one;
            }
        }
        throw new FileNotFoundException(AFFINITY + " is missing in " + root);
    }

    private static String resource(String type) {
        return type.replace('.', '/') + ".class";
    }

    /**
     * Prints which provider programs with this class path get, and what to do if it is not jwarp's. Exit status 0 if it
     * is, 3 if not.
     *
     * @param args none
     */
    public static void main(String[] args) {
        System.exit(report(System.out, System.err));
    }

    static int report(PrintStream out, PrintStream err) {
        try {
            DisniVersion.check();
            RdmaProvider provider = RdmaProvider.provider();
            if (provider instanceof JwarpProvider) {
                JwarpProvider.context();
                out.println("DiSNI runs on jwarp.");
                return 0;
            }
            err.println("DiSNI runs on " + provider.getClass().getName() + ". " + ORDER);
        } catch (UnsatisfiedLinkError e) {
            err.println("DiSNI looks for its native library (" + e.getMessage() + "). " + ORDER);
        } catch (LinkageError | Exception e) {
            err.println(e.getMessage());
        }
        return 3;
    }

    private static final String EARLIER = "call JwarpDisni.install() before all else of DiSNI.";

    private static final String ORDER =
            "Put the jar jwarp-disni before the jar disni on the class path, or call JwarpDisni.install().";
}
