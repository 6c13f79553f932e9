package dev.jwarp.sockets.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.sockets.JwarpSocketAgent;
import dev.jwarp.vectors.OwnNetwork;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Unchanged programs run on jwarp")
class ProgramsTest {
    private static final long PATIENCE_SECONDS = Patience.LIMIT.toSeconds();

    private static final List<String> ON_JWARP = List.of(
            "-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName(),
            "--add-exports",
            "java.base/sun.nio.ch=ALL-UNNAMED");

    @TempDir
    private Path folder;

    @Test
    @DisplayName("the JDK's HTTP server and client")
    void http() throws Exception {
        assertThat(run(ON_JWARP, JdkHttp.class, String.valueOf(Whole.or(150, 700))))
                .contains("60 bodies came back");
    }

    @Test
    @DisplayName("Jetty, and files of up to 80 MiB, in a build 6")
    void jetty() throws Exception {
        String large = String.valueOf(Whole.or(6144, 81920));
        assertThat(run(
                        ON_JWARP,
                        JettyFiles.class,
                        folder.toString(),
                        "128",
                        "1024",
                        String.valueOf(Whole.or(3000, 10000)),
                        large))
                .contains("128 KiB, SHA-256", large + " KiB, SHA-256");
    }

    @Test
    @DisplayName("a ZooKeeper server and its clients")
    void zooKeeper() throws Exception {
        assertThat(run(ON_JWARP, ZooKeeperPair.class, folder.toString())).contains("200 nodes read, a change watched");
    }

    @Test
    @DisplayName("sockets of java.net, as on the JDK's own, if jwarp is an agent of the JVM")
    void javaNet() throws Exception {
        assertThat(run(agent(), JavaNetPair.class)).contains("all as java.net says");
        assertThat(run(List.of(), JavaNetPair.class)).contains("all as java.net says");
    }

    /** The differences: those of the JDK with a socket factory, and an RDMA listener for both IP versions. */
    private static final Map<String, String> OTHERWISE = Map.of(
            "DatagramSocket.send: closed", "java.net.SocketException: Socket is closed",
            "DatagramSocket.connect: port 0", "java.io.UncheckedIOException: connect failed",
            "Socket of a channel: closed while its input waits", "java.net.SocketException: Socket closed",
            "ServerSocket of a channel: closed while it waits", "java.net.SocketException: Socket closed",
            "Socket of a channel: connected again", "java.net.SocketException: Already connected", // as on Java 25
            "ServerSocketChannel.open(INET).getLocalAddress: bound to null", "/0:0:0:0:0:0:0:0");

    @Test
    @DisplayName(
            "channels and sockets keep each clause of their contract, with the exception class of the JDK and its words first")
    void contract() throws Exception {
        // The words of the system are those of its language; jwarp's are English.
        UnaryOperator<List<String>> inEnglish = command ->
                Stream.concat(Stream.of("env", "LC_ALL=C"), command.stream()).toList();
        Map<String, String> theirs = clauses(runIn(inEnglish, List.of(), Contract.class));
        Map<String, String> ours = clauses(runIn(inEnglish, agent(), Contract.class));
        assertThat(theirs).hasSizeGreaterThan(150);
        assertThat(ours.keySet()).containsExactlyElementsOf(theirs.keySet());
        SoftAssertions all = new SoftAssertions();
        theirs.forEach((clause, said) -> all.assertThat(ours.get(clause))
                .as(clause)
                .matches(
                        here -> keeps(clause, said, here) || here.equals(OTHERWISE.get(clause)),
                        "as the JDK's: " + said));
        all.assertAll();
    }

    private static Map<String, String> clauses(String output) {
        Map<String, String> all = new LinkedHashMap<>();
        output.lines()
                .filter(line -> line.matches("\\w+( of|'s|\\.|\\(|:).* -> .*"))
                .forEach(line -> all.put(line.replaceAll(" -> .*", ""), line.replaceAll(".* -> ", "")));
        return all;
    }

    private static boolean keeps(String clause, String theirs, String ours) {
        String here = alike(clause, ours);
        String there = alike(clause, theirs);
        boolean sameClass = here.replaceAll(": .*", "").equals(there.replaceAll(": .*", ""));
        boolean failure = there.matches("java\\.(io|net)\\..*");
        return here.equals(there) || here.startsWith(there + ": ") || (sameClass && !failure);
    }

    /** {@return the outcome, with one value for outcomes that depend on timing} */
    private static String alike(String clause, String outcome) {
        String words = outcome.replaceAll(
                "java\\.(io\\.IO|net\\.Socket)Exception: (Connection reset by peer|Connection reset|Broken pipe)",
                "ended");
        return clause.contains("waits") ? words : words.replace("AsynchronousClose", "ClosedChannel");
    }

    @Test
    @DisplayName("multicast groups: interface, hop limit and loopback as on the JDK's own channels")
    void groups() throws Exception {
        assumeThat(OwnNetwork.possible())
                .as("this user can have a network of its own here")
                .isTrue();
        assertThat(runIn(OwnNetwork::inside, agent(), GroupPair.class)).contains("all as java.nio says");
        assertThat(runIn(OwnNetwork::inside, List.of(), GroupPair.class)).contains("all as java.nio says");
    }

    @Test
    @DisplayName("datagram sockets of java.net, as on the JDK's own")
    void packets() throws Exception {
        assumeThat(OwnNetwork.possible())
                .as("this user can have a network of its own here")
                .isTrue();
        assertThat(runIn(OwnNetwork::inside, List.of(), PacketPair.class)).contains("all as java.net says");
        assertThat(runIn(OwnNetwork::inside, agent(), PacketPair.class)).contains("all as java.net says");
    }

    @Test
    @DisplayName("and the rules select those with RDMA: a TCP client does not reach them")
    void javaNetRules() throws Exception {
        List<String> options = new ArrayList<>(agent());
        options.add("-Djwarp.sockets.rules=connect *:* tcp; listen *:* rdma");
        assertThat(run(options, JavaNetPair.class, "3")).contains("Exception").doesNotContain("all as java.net says");
        options.set(options.size() - 1, "-Djwarp.sockets.rules=* *:* tcp");
        assertThat(run(options, JavaNetPair.class))
                .contains("all as java.net says")
                .doesNotContain("no setting jwarp.sockets.rules");
    }

    @Test
    @DisplayName("and the stack below them uses the system's sockets")
    void stackStaysOnSystem() throws Exception {
        assertThat(run(agent(), WordsOfTheSystem.class))
                .isEqualTo(run(List.of(), WordsOfTheSystem.class))
                .doesNotContain("refused=null");
    }

    @Test
    @DisplayName("and an agent with arguments reports that it takes none")
    void agentWithArguments() throws Exception {
        assertThat(run(List.of(agent().get(0) + "=rdma"), JavaNetPair.class))
                .contains("takes no arguments, not 'rdma'");
    }

    @Test
    @DisplayName("and the jar of these sockets is built as the agent")
    void jarIsAgent() throws Exception {
        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<Premain-Class>" + JwarpSocketAgent.class.getName() + "</Premain-Class>");
    }

    @Test
    @DisplayName("Apache's FTP server and client, files of 13 and 169 MiB, in a build of 3 and 7, passive and active")
    void ftp() throws Exception {
        String small = String.valueOf(Whole.or(3, 13));
        String large = String.valueOf(Whole.or(7, 169));
        assertThat(run(agent(), FtpFiles.class, folder.toString(), small, large))
                .contains(small + " MiB, passive, SHA-256", large + " MiB, passive, SHA-256")
                .contains(small + " MiB, active, SHA-256", large + " MiB, active, SHA-256");
    }

    @Test
    @DisplayName("a service that inherits its connection, as from inetd")
    void inherited() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String connected = "exec \"$@\" <>/dev/tcp/127.0.0.1/" + listener.getLocalPort();
            UnaryOperator<List<String>> withIt = command -> {
                List<String> all = new ArrayList<>(List.of("bash", "-c", connected, "bash"));
                all.addAll(command);
                return all;
            };
            assertThat(runIn(withIt, ON_JWARP, Inheritor.class)).isEmpty();
            try (Socket far = listener.accept()) {
                assertThat(far.getInputStream().readAllBytes()).asString().isEqualTo("inherited");
            }
        }
    }

    @Test
    @DisplayName("with asynchronous channels, which use TCP, with one warning in the log")
    void asynchronous() throws Exception {
        assertThat(run(agent(), Asynchronous.class))
                .contains("there: asynchronous")
                .containsOnlyOnce("opens asynchronous channels. They use TCP");
    }

    @Test
    @DisplayName("and can exit without closing: the peer gets all written bytes, and then the end")
    void exits() throws Exception {
        JwarpSelectorProvider provider = new JwarpSelectorProvider();
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = listener.socket().getLocalPort();
            FutureTask<String> leaver = new FutureTask<>(() -> run(ON_JWARP, Leaver.class, String.valueOf(port)));
            new Thread(leaver, "leaver").start();
            try (SocketChannel far = listener.accept()) {
                Path said = folder.resolve("said");
                await().until(() -> Files.readString(said).contains("written") || leaver.isDone());
                long seen = System.nanoTime();
                long came = 0;
                ByteBuffer into = ByteBuffer.allocate(1 << 16);
                for (int read = far.read(into); read >= 0; read = far.read(into.clear())) {
                    came += read;
                }
                String output = leaver.get();
                assumeThat(System.nanoTime() - seen)
                        .as("this test had the processor while the program waited for its reader, 10 s at most")
                        .isLessThan(TimeUnit.SECONDS.toNanos(9));
                assertThat(output).containsPattern("(?m)^" + came + " bytes were written");
            }
        }
    }

    @Test
    @DisplayName("and get the name of a missing option")
    void missingOption() throws Exception {
        assertThat(run(
                        List.of("-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName()),
                        JdkHttp.class))
                .contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    /**
     * {@return the JVM option for the agent} The jar of these sockets does not exist yet, so the test makes one with
     * the manifest.
     */
    private List<String> agent() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), JwarpSocketAgent.class.getName());
        Path jar = folder.resolve("agent.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return List.of("-javaagent:" + jar);
    }

    private String run(List<String> options, Class<?> program, String... arguments) throws Exception {
        return runIn(UnaryOperator.identity(), options, program, arguments);
    }

    private String runIn(UnaryOperator<List<String>> where, List<String> options, Class<?> program, String... arguments)
            throws Exception {
        Path said = folder.resolve("said");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(where.apply(command))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(said);
            assertThat(ended).as(output).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
