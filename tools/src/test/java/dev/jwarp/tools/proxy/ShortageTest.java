package dev.jwarp.tools.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Main;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("jwarp proxy, when resources run out:")
class ShortageTest {
    private static final int MILLIS = (int) Patience.LIMIT.toMillis();
    private static final int MANY = 40;
    private static final Pattern LISTENING = Pattern.compile("listening on .*:(\\d+)");

    @TempDir
    private Path folder;

    private final ServerSocket echo = listener();
    private final List<Socket> clients = new ArrayList<>();
    private final List<Process> started = new ArrayList<>();

    private static ServerSocket listener() {
        try {
            return new ServerSocket(0, MANY, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void begin() {
        OwnThread.EACH.execute(this::serve);
    }

    private void serve() {
        try {
            while (true) {
                Socket client = echo.accept();
                OwnThread.EACH.execute(() -> answer(client));
            }
        } catch (IOException e) {
            assertThat(echo.isClosed()).isTrue();
        }
    }

    private static void answer(Socket client) {
        try (client) {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            assertThat(e).isNotNull(); // the client has gone
        }
    }

    @AfterEach
    void end() throws Exception {
        for (Socket client : clients) {
            client.close();
        }
        for (Process process : started) {
            process.destroy();
            assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        echo.close();
    }

    private Process proxy(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "proxy",
                "-l",
                "tcp://127.0.0.1:0",
                "-t",
                "tcp://127.0.0.1:" + echo.getLocalPort()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(err().toFile())
                .start();
        started.add(process);
        await().until(() -> LISTENING.matcher(said()).find());
        return process;
    }

    private Path err() {
        return folder.resolve("err");
    }

    private String said() throws IOException {
        return Files.readString(err());
    }

    private Socket connect() throws IOException {
        Matcher where = LISTENING.matcher(said());
        assertThat(where.find()).isTrue();
        Socket client = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(where.group(1)));
        client.setSoTimeout(MILLIS);
        clients.add(client);
        return client;
    }

    private static void goesOn(Socket client) throws IOException {
        for (int i = 0; i < 100; i++) {
            client.getOutputStream().write(i);
            assertThat(client.getInputStream().read()).isEqualTo(i);
        }
    }

    private static Duration processorTime(Process process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    private void othersGoOn(Process proxy, Socket first, String sentence) throws IOException {
        for (int i = 0; i < MANY; i++) {
            connect();
        }
        await().until(() -> said().contains(sentence));
        goesOn(first);

        // Two looks in vain a second apart, and little in between.
        long lines = said().lines().count();
        await().until(() -> said().lines().count() > lines);
        Duration before = processorTime(proxy);
        long began = System.nanoTime();
        await().until(() -> said().lines().count() > lines + 2);
        assertThat(processorTime(proxy).minus(before).toNanos())
                .as("processor time")
                .isLessThan((System.nanoTime() - began) / 2);
        goesOn(first);
        assertThat(proxy.isAlive()).isTrue();

        for (Socket client : clients.subList(1, clients.size())) {
            client.close();
        }
        await().ignoreExceptions().until(() -> {
            goesOn(connect());
            return true;
        });
    }

    @Test
    @DisplayName(
            "descriptors: connections go on, a note is printed, the proxy does not spin, and later clients are served")
    void descriptors() throws Exception {
        assumeThat(new File("/proc/self/fd")).isDirectory();
        Process proxy = proxy();
        Socket first = connect();
        goesOn(first);
        String[] open = new File("/proc/" + proxy.pid() + "/fd").list();
        assertThat(open).isNotNull();
        Process limit = new ProcessBuilder(
                        "prlimit", "--pid", String.valueOf(proxy.pid()), "--nofile=" + (open.length + 5))
                .start();
        assertThat(limit.waitFor()).isZero();

        othersGoOn(proxy, first, "a connection could not be ");
    }

    @Test
    @DisplayName("memory: connections go on, a note is printed, the proxy does not spin, and later clients are served")
    void memory() throws Exception {
        Process proxy = proxy("-XX:MaxDirectMemorySize=2m");
        Socket first = connect();
        goesOn(first);

        othersGoOn(proxy, first, "a connection could not be forwarded: ");
    }
}
