package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.util.NativeAffinity;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import dev.jwarp.transport.tcp.net.NioTransportProvider;
import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.MortalJvm.Ended;
import dev.jwarp.vectors.Patience;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp becomes DiSNI's provider")
class InstallTest {
    private static final String OURS_FIRST = System.getProperty("java.class.path");

    private static final String ORDER =
            "Put the jar jwarp-disni before the jar disni on the class path, or call JwarpDisni.install().\n";

    private static final String OTHER_VERSION =
            "This DiSNI is not version 2.1 of com.ibm.disni:disni, which jwarp-disni needs. Use that version.";

    @TempDir
    private Path folder;

    /** {@return the jar or folder with the class} */
    private static String placeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    /** {@return the class path of this JVM without the jar or folder of the class} */
    private static String without(Class<?> type) throws URISyntaxException {
        List<String> all = new ArrayList<>(List.of(OURS_FIRST.split(File.pathSeparator)));
        assertThat(all.remove(placeOf(type))).as("%s", type).isTrue();
        return String.join(File.pathSeparator, all);
    }

    private static String before(String first, String classPath) {
        return first + File.pathSeparator + classPath;
    }

    /** {@return the class path of this JVM, with DiSNI's jar before that of jwarp} */
    private static String disniFirst() throws URISyntaxException {
        return before(placeOf(RdmaCm.class), without(RdmaCm.class));
    }

    /** {@return the class path of this JVM, with another class of that name before DiSNI's and jwarp's} */
    private String withAnother(String name, String source) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".java"), source);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-cp", OURS_FIRST, "-d", "" + classes, "" + file))
                .as("javac's status")
                .isZero();
        return before(classes.toString(), OURS_FIRST);
    }

    private Ended end(String classPath, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(MortalJvm.compilers());
        flags.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        return MortalJvm.endOf(classPath, folder, flags, program, arguments);
    }

    private String run(String classPath, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        return end(classPath, program, arguments).output();
    }

    /** Installs jwarp, connects, and calls DiSNI's class that loads its native library, as DiSNI's threads do. */
    static final class Installs {
        private Installs() {}

        public static void main(String[] args) throws Exception {
            JwarpDisni.install();
            End.Listener listener = End.Listener.at(End.anyPort());
            End[] both = End.connected(listener);
            NativeAffinity.setAffinity(1);
            both[0].close();
            both[1].close();
            System.out.print("DiSNI " + RdmaVerbs.getVersion() + " on "
                    + RdmaProvider.provider().getClass().getSimpleName());
        }
    }

    /** Tries to install jwarp, and prints the failure. */
    static final class Tries {
        private Tries() {}

        public static void main(String[] args) {
            try {
                JwarpDisni.install();
            } catch (IllegalStateException e) {
                System.out.print(e.getMessage());
            }
        }
    }

    /** Installs jwarp too late: DiSNI has looked for its native library. */
    static final class InstallsLate {
        private InstallsLate() {}

        public static void main(String[] args) {
            try {
                NativeAffinity.getAffinity();
            } catch (LinkageError e) {
                // There is no libdisni.
            }
            Tries.main(args);
        }
    }

    /** Installs jwarp too late: DiSNI has a provider. */
    static final class InstallsSecond {
        private InstallsSecond() {}

        public static void main(String[] args) throws IOException {
            RdmaProvider.provider();
            Tries.main(args);
        }
    }

    /** Many threads get DiSNI's provider at once. The argument: one in so many threads installs jwarp first. */
    static final class InstallsAtOnce {
        private static final int THREADS = 16;

        private InstallsAtOnce() {}

        public static void main(String[] args) throws Exception {
            int one = Integer.parseInt(args[0]);
            CyclicBarrier start = new CyclicBarrier(THREADS);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<RdmaProvider>> asked = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                boolean installs = i % one == 0;
                asked.add(threads.submit(() -> {
                    start.await();
                    if (installs) {
                        JwarpDisni.install();
                    }
                    return RdmaProvider.provider();
                }));
            }
            Set<RdmaProvider> providers = ConcurrentHashMap.newKeySet();
            for (Future<RdmaProvider> each : asked) {
                providers.add(Patience.get(each));
            }
            threads.shutdown();
            System.out.print("providers: " + providers.size() + ", of jwarp: "
                    + providers.stream().allMatch(JwarpProvider.class::isInstance));
        }
    }

    /**
     * Installs jwarp, and exchanges messages in an active group, whose completion thread calls the class that loads the
     * native library.
     */
    static final class InstallsForGroup {
        private InstallsForGroup() {}

        public static void main(String[] args) throws Exception {
            Thread.setDefaultUncaughtExceptionHandler((thread, e) -> { // a thread has ended
                e.printStackTrace();
                Runtime.getRuntime().halt(1);
            });
            JwarpDisni.install();
            EndpointsTest endpoints = new EndpointsTest();
            endpoints.activeGroup(false);
            endpoints.end();
            System.out.print("They have answered.");
        }
    }

    /** Registers memory, and prints the failure. */
    static final class Registers {
        private Registers() {}

        public static void main(String[] args) throws IOException {
            IbvPd pd = RdmaEventChannel.createEventChannel()
                    .createId(RdmaCm.RDMA_PS_TCP)
                    .getVerbs()
                    .allocPd();
            try {
                pd.regMr(ByteBuffer.allocateDirect(1), 0);
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            try {
                pd.regMr(1 << 20, 1, 0); // the memory is not used
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    @DisplayName("if its jar comes first, and all threads get the same provider")
    void first() throws IOException {
        Set<RdmaProvider> providers = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 16).parallel().forEach(i -> {
            try {
                providers.add(RdmaProvider.provider());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(providers).singleElement().isInstanceOf(JwarpProvider.class);
        JwarpDisni.install(); // there is nothing to do
        NativeAffinity.setAffinity(1);
        assertThat(NativeAffinity.getAffinity()).isNotZero();
    }

    @Test
    @DisplayName("by install(), if DiSNI's jar comes first")
    void installed() throws Exception {
        assertThat(run(disniFirst(), Installs.class)).endsWith("DiSNI 32 on JwarpProvider");
    }

    @Test
    @DisplayName("by install(), and DiSNI's completion threads run without its native library")
    void installedForGroup() throws Exception {
        assertThat(run(disniFirst(), InstallsForGroup.class)).contains("They have answered.");
    }

    @Test
    @DisplayName("by install() in many threads at once, which all get the same provider")
    void installedAtOnce() throws Exception {
        String one = "providers: 1, of jwarp: true";
        assertThat(run(disniFirst(), InstallsAtOnce.class, "1")).endsWith(one);
        assertThat(run(OURS_FIRST, InstallsAtOnce.class, "2"))
                .as("beside threads that do not call")
                .endsWith(one);
    }

    @Test
    @DisplayName("only by an install() before other calls of DiSNI")
    void installedLate() throws Exception {
        assertThat(run(disniFirst(), InstallsLate.class))
                .endsWith("DiSNI has loaded its native library already: call JwarpDisni.install() before all else"
                        + " of DiSNI.");
    }

    @Test
    @DisplayName("unless DiSNI has another provider already")
    void another() throws Exception {
        String other = withAnother("RdmaProviderNat", """
                package com.ibm.disni.verbs.impl;

                import com.ibm.disni.verbs.*;

                public class RdmaProviderNat extends RdmaProvider {
                    public RdmaCm openCm() { return null; }
                    public RdmaVerbs openVerbs() { return null; }
                    public int getVersion() { return 32; }
                }
                """);
        assertThat(run(other, InstallsSecond.class))
                .endsWith("DiSNI has the provider com.ibm.disni.verbs.impl.RdmaProviderNat already:"
                        + " call JwarpDisni.install() before all else of DiSNI.");
        Ended reported = end(other, JwarpDisni.class);
        assertThat(reported.output()).endsWith("DiSNI runs on com.ibm.disni.verbs.impl.RdmaProviderNat. " + ORDER);
        assertThat(reported.status()).isEqualTo(3);
    }

    @Test
    @DisplayName("and the main class of its jar reports whether it will, and what to do if not")
    void reports() throws Exception {
        Ended ours = end(OURS_FIRST, JwarpDisni.class);
        assertThat(ours.output()).endsWith("DiSNI runs on jwarp.\n");
        assertThat(ours.status()).isZero();
        Ended disnis = end(disniFirst(), JwarpDisni.class);
        assertThat(disnis.output())
                .contains("DiSNI looks for its native library (no disni in java.library.path")
                .endsWith(ORDER);
        assertThat(disnis.status()).isEqualTo(3);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"abstract class RdmaCm", "class IbvPd"})
    @DisplayName("only of version 2.1, not of a version with other methods")
    void otherVersion(String type) throws Exception {
        String other = withAnother(
                type.substring(type.lastIndexOf(' ') + 1), "package com.ibm.disni.verbs; public " + type + " {}");
        assertThat(run(other, Tries.class)).endsWith(OTHER_VERSION);
        Ended reported = end(other, JwarpDisni.class);
        assertThat(reported.output()).endsWith(OTHER_VERSION + "\n");
        assertThat(reported.status()).isEqualTo(3);
    }

    @Test
    @DisplayName("only of version 2.1, not of version 1, whose packages have other names")
    void versionOne() throws Exception {
        String other = without(RdmaCm.class);
        assertThat(run(other, Tries.class)).endsWith(OTHER_VERSION);
        Ended reported = end(other, JwarpDisni.class);
        assertThat(reported.output()).endsWith(OTHER_VERSION + "\n");
        assertThat(reported.status()).isEqualTo(3);
    }

    @Test
    @DisplayName("and the main class of its jar reports a missing jwarp-rnic or transport")
    void withoutStack() throws Exception {
        Ended alone = end(without(dev.jwarp.verbs.RdmaProvider.load().getClass()), JwarpDisni.class);
        assertThat(alone.output())
                .endsWith("No RDMA provider was found. Put jwarp-rnic and a transport such as jwarp-transport-tcp on"
                        + " the class path.\n");
        assertThat(alone.status()).isEqualTo(3);
        Ended still = end(without(NioTransportProvider.class), JwarpDisni.class);
        assertThat(still.output())
                .contains("There is no transport ")
                .endsWith(
                        " on the class path; there is none. Add jwarp-transport-tcp, jwarp-transport-udp, or both.\n");
        assertThat(still.status()).isEqualTo(3);
    }

    @Test
    @DisplayName("and names the missing option of the JVM when memory is registered")
    void withoutOptions() throws Exception {
        List<String> flags = new ArrayList<>(MortalJvm.compilers());
        boolean segments = Runtime.version().feature() >= 22;
        if (segments) {
            flags.add("--illegal-native-access=deny"); // as later versions of Java will do by default
        }
        assertThat(MortalJvm.run(folder, flags, Registers.class))
                .contains("DiSNI needs --add-exports java.base/sun.nio.ch=ALL-UNNAMED for the address of a buffer:"
                        + " start the JVM with it.\n")
                .contains("Memory given by its address needs the option "
                        + (segments
                                ? "--enable-native-access=ALL-UNNAMED"
                                : "--add-opens java.base/java.nio=ALL-UNNAMED")
                        + ": start the JVM with it.\n");
    }
}
