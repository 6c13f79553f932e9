package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.util.NativeAffinity;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import dev.jwarp.vectors.MortalJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("jwarp becomes DiSNI's provider")
class InstallTest {
    @TempDir
    private Path folder;

    /** {@return the class path of this JVM, with DiSNI's jar where its own classes come first} */
    private static String disniFirst() {
        List<String> all =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        String disni = all.stream()
                .filter(one -> Path.of(one).getFileName().toString().startsWith("disni-"))
                .findFirst()
                .orElseThrow();
        all.remove(disni);
        all.add(0, disni);
        return String.join(File.pathSeparator, all);
    }

    private String run(String classPath, Class<?> program) throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(MortalJvm.compilers());
        flags.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        return MortalJvm.runOn(classPath, folder, flags, program);
    }

    /** Installs jwarp, and makes a connection; DiSNI's class that loads its native library is called as its threads call it. */
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

    /** Installs jwarp too late. */
    static final class InstallsLate {
        private InstallsLate() {}

        public static void main(String[] args) throws Exception {
            try {
                NativeAffinity.getAffinity();
            } catch (LinkageError e) {
                // There is no libdisni.
            }
            try {
                JwarpDisni.install();
            } catch (IllegalStateException e) {
                System.out.print(e.getMessage());
            }
        }
    }

    @Test
    @DisplayName("where its jar comes first, for all threads the same")
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
    @DisplayName("by a call, where DiSNI's jar comes first")
    void installed() throws Exception {
        assertThat(run(disniFirst(), Installs.class)).endsWith("DiSNI 32 on JwarpProvider");
    }

    @Test
    @DisplayName("by a call before all else of DiSNI, or not at all")
    void installedLate() throws Exception {
        assertThat(run(disniFirst(), InstallsLate.class))
                .endsWith("DiSNI has made use of its native library already: call JwarpDisni.install() before all else"
                        + " of DiSNI.");
    }

    @Test
    @DisplayName("and its jar says whether it will, and what to do if not")
    void reports() throws Exception {
        assertThat(run(System.getProperty("java.class.path"), JwarpDisni.class)).endsWith("DiSNI runs on jwarp.\n");
        assertThat(run(disniFirst(), JwarpDisni.class))
                .contains("DiSNI looks for its native library (no disni in java.library.path")
                .endsWith(
                        "Put the jar jwarp-disni before the jar disni on the class path, or call JwarpDisni.install().\n");
    }
}
