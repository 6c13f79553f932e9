package dev.jwarp.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tar file of a release, unpacked and run where there is nothing but a JRE. */
@Timeout(180)
class ReleaseTest {
    private static final Path DIST = Path.of("").toAbsolutePath();
    private static final String JAVA_HOME = System.getProperty("java.home");

    /** Options of a JVM that takes little to start. */
    private static final String LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    @TempDir
    private static Path folder;

    private static Path release = Path.of("none");
    private static FirstStarts firstStarts;

    @TempDir
    private Path cache;

    @BeforeAll
    static void unpack() throws Exception {
        Path tar;
        try (Stream<Path> files = Files.list(DIST.resolve("target"))) {
            List<Path> tars =
                    files.filter(file -> file.toString().endsWith(".tar.gz")).toList();
            assertThat(tars).hasSize(1);
            tar = tars.get(0);
        }
        Ended ended =
                run(Map.of("PATH", System.getenv("PATH")), "tar", "-xzf", tar.toString(), "-C", folder.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        release = folder.resolve(tar.getFileName().toString().replace(".tar.gz", ""));
        assertThat(release).isDirectory();
    }

    @BeforeEach
    void onlyTheUsers() throws IOException {
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwx------"));
    }

    private record Ended(int status, String out, String err) {}

    private record Running(Process process, Path out, Path err) {
        Ended ended() throws Exception {
            assertThat(process.waitFor(150, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
        }
    }

    private static Ended run(Map<String, String> environment, String... command) throws Exception {
        return start(environment, command).ended();
    }

    private static Running start(Map<String, String> environment, String... command) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }

    /** Starts the command with no variable but JAVA_HOME and those. */
    private static Ended jwarp(Map<String, String> environment, String... arguments) throws Exception {
        return startJwarp(environment, arguments).ended();
    }

    private static Running startJwarp(Map<String, String> environment, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("JAVA_HOME", JAVA_HOME);
        List<String> command =
                new ArrayList<>(List.of(release.resolve("bin/jwarp").toString()));
        command.addAll(List.of(arguments));
        return start(all, command.toArray(String[]::new));
    }

    /** Three first starts of a user, at once, and the files they left in the user's home. */
    private record FirstStarts(Path home, List<Ended> ended, List<Path> left) {}

    /** {@return the same for all tests: an archive takes seconds to make} */
    private static FirstStarts firstStarts() throws Exception {
        if (firstStarts == null) {
            Path home = Files.createDirectory(folder.resolve("home"));
            List<Running> running = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                running.add(startJwarp(Map.of("HOME", home.toString()), "--version"));
            }
            List<Ended> ended = new ArrayList<>();
            for (Running one : running) {
                ended.add(one.ended());
            }
            firstStarts = new FirstStarts(home, ended, files(home));
        }
        return firstStarts;
    }

    private static List<Path> files(Path below) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    @DisplayName("It reads a file whose name is not ASCII where the locale is C")
    void nameBeyondAscii() throws Exception {
        // A shell makes the name, as this JVM may have such a locale itself.
        String script = """
                file=$1/$(printf 'gr\\303\\266\\303\\237e.pcap')
                printf '\\324\\303\\262\\241\\2\\0\\4\\0\\0\\0\\0\\0\\0\\0\\0\\0\\377\\377\\0\\0\\145\\0\\0\\0' >"$file"
                exec "$2" decode "$file"
                """;
        Map<String, String> environment =
                Map.of("LC_ALL", "C", "PATH", System.getenv("PATH"), "JAVA_HOME", JAVA_HOME, "JWARP_JAVA_OPTS", LIGHT);

        Ended ended = run(
                environment,
                "sh",
                "-c",
                script,
                "sh",
                cache.toString(),
                release.resolve("bin/jwarp").toString());

        assertThat(ended.err()).contains("there is no iWARP in ", "e.pcap: 0 frames"); // so it was there, and was read
    }

    @Test
    @DisplayName("It runs in an empty environment, and leaves nothing behind there")
    void emptyEnvironment() throws Exception {
        List<Path> before = files(release);

        Ended demo = jwarp(Map.of(), "demo", "--size", "64K", "--quiet"); // no sign of life, on a slow machine

        assertThat(demo.status()).as(demo.err()).isZero();
        assertThat(demo.out()).contains("RDMA Write");
        assertThat(demo.err()).isEmpty();
        assertThat(files(release)).isEqualTo(before);
    }

    @Test
    @DisplayName("It has what a package is expected to have")
    void contents() {
        assertThat(Stream.of(
                                "bin/jwarp",
                                "lib/jwarp.jar",
                                "lib/launch.sh",
                                "LICENSE",
                                "NOTICE",
                                "README.md",
                                "CHANGELOG.md",
                                "docs/tools.md",
                                "docs/exit-status.md",
                                "docs/conformance/requirements.txt",
                                "share/man/man1/jwarp.1",
                                "share/man/man1/jwarp-perf.1",
                                "share/bash-completion/completions/jwarp",
                                "share/zsh/site-functions/_jwarp")
                        .map(release::resolve))
                .allSatisfy(file -> assertThat(file).isNotEmptyFile());
        assertThat(release.resolve("bin/jwarp")).isExecutable();
    }

    @Test
    @DisplayName("The image copies a file that the build makes, and starts a command that is in it")
    void dockerfile() throws Exception {
        String lines = Files.readString(DIST.resolve("Dockerfile"));

        Matcher added = Pattern.compile("(?m)^ADD (\\S+) ").matcher(lines);
        assertThat(added.find()).isTrue();
        assertThat(DIST.resolve(Path.of(added.group(1)).getParent()))
                .isDirectoryContaining("glob:" + DIST.resolve(added.group(1)));
        assertThat(Files.readAllLines(DIST.resolve(".dockerignore"))).contains("!" + added.group(1));
        Matcher path = Pattern.compile("PATH=/opt/jwarp/(\\w+):").matcher(lines);
        assertThat(path.find()).isTrue();
        Matcher start = Pattern.compile("ENTRYPOINT \\[\"(\\w+)\"]").matcher(lines);
        assertThat(start.find()).isTrue();
        assertThat(release.resolve(path.group(1)).resolve(start.group(1))).isExecutable();
    }

    @Test
    @DisplayName(
            "The first start makes an archive of classes in the user's cache, in a folder for nobody else: later starts use it, a newer jar or JVM"
                    + " has it made anew, and whatever an archive says, results are results")
    void archive() throws Exception {
        Path home = firstStarts().home();
        Map<String, String> environment = Map.of("HOME", home.toString());

        Ended first = firstStarts().ended().get(0);

        assertThat(first.status()).isZero();
        assertThat(first.out()).matches("jwarp \\S+\\R");
        assertThat(first.err()).isEmpty();
        Path archive = assertThat(files(home)).singleElement().actual();
        assertThat(archive).isNotEmptyFile().hasParent(home.resolve(".cache/jwarp"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive.getParent())))
                .isEqualTo("rwx------");

        Ended second = jwarp(with(environment, "-Xlog:class+load:stderr"), "--version");

        assertThat(second.out()).isEqualTo(first.out());
        assertThat(second.err().lines().filter(line -> line.contains("dev.jwarp.tools.Main ")))
                .singleElement()
                .asString()
                .contains("shared objects file");

        // An older date, as an older release has, that was unpacked over this one.
        Object before = Files.readAttributes(archive, "*").get("fileKey");
        Path jar = release.resolve("lib/jwarp.jar");
        Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));

        assertThat(jwarp(Map.of("JWARP_CACHE_DIR", archive.getParent().toString()), "--version"))
                .isEqualTo(first);
        assertThat(files(home)).containsExactly(archive);
        assertThat(Files.readAttributes(archive, "*").get("fileKey")).isNotEqualTo(before);

        // A JVM that cannot use it says so nowhere.
        Ended other = jwarp(with(environment, "-XX:+UseSerialGC -XX:-UseCompressedOops"), "--version");
        assertThat(other).isEqualTo(first);
    }

    private static Map<String, String> with(Map<String, String> environment, String options) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("JWARP_JAVA_OPTS", options);
        return all;
    }

    @Test
    @DisplayName("Several at once all work, and one archive is left")
    void several() throws Exception {
        assertThat(firstStarts().ended()).hasSize(3).allSatisfy(one -> {
            assertThat(one.out()).matches("jwarp \\S+\\R");
            assertThat(one.err()).isEmpty();
            assertThat(one.status()).isZero();
        });
        assertThat(firstStarts().left())
                .singleElement()
                .satisfies(one -> assertThat(one).isNotEmptyFile());
    }

    @Test
    @DisplayName("Where nothing can be written, it starts as well")
    void readOnly() throws Exception {
        // A file in place of the folder: root may write where permissions say no.
        Path file = Files.createFile(cache.resolve("file"));

        for (String place : List.of(file.toString(), file + "/below", "/proc/none", "")) {
            Ended ended = jwarp(with(Map.of("JWARP_CACHE_DIR", place), LIGHT), "--version");
            assertThat(ended.status()).as(place).isZero();
            assertThat(ended.err()).as(place).isEmpty();
        }
    }

    @Test
    @DisplayName("A JVM that makes no archive is asked once")
    void noArchive() throws Exception {
        // A JVM of another kind: it does not know the option.
        Path home = Files.createDirectories(cache.resolve("jvm"));
        Path bin = Files.createDirectory(home.resolve("bin"));
        Path java = bin.resolve("java");
        Files.writeString(
                java,
                "#!/bin/sh\necho \"$*\" >>'" + cache
                        + "/asked'\ncase \"$*\" in *ArchiveClassesAtExit*) exit 1; esac\nexec '" + JAVA_HOME
                        + "/bin/java' \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.copy(Path.of(JAVA_HOME, "release"), home.resolve("release"));
        Map<String, String> environment = Map.of(
                "JAVA_HOME",
                home.toString(),
                "JWARP_CACHE_DIR",
                cache.resolve("made").toString());

        for (int i = 0; i < 3; i++) {
            assertThat(jwarp(with(environment, LIGHT), "--version").status()).isZero();
        }

        assertThat(Files.readAllLines(cache.resolve("asked")))
                .hasSize(4)
                .noneMatch(line -> line.contains("SharedArchiveFile"));
    }

    @Test
    @DisplayName("Without a JVM, or with an old one, it ends with 3 and says what to do")
    void noJvm() throws Exception {
        Ended wrong = jwarp(Map.of("JAVA_HOME", cache.toString()), "--version");
        assertThat(wrong.status()).isEqualTo(3);
        assertThat(wrong.err()).contains("JAVA_HOME is " + cache, "17 or newer");

        Path home = Files.createDirectories(cache.resolve("old/bin")).getParent();
        Files.copy(Path.of("/bin/true"), home.resolve("bin/java"));
        Files.setPosixFilePermissions(home.resolve("bin/java"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"1.8.0_352\"\n");
        Ended old = jwarp(Map.of("JAVA_HOME", home.toString()), "--version");
        assertThat(old.status()).isEqualTo(3);
        assertThat(old.err()).contains("needs Java 17 or newer", "is 8");
    }
}
