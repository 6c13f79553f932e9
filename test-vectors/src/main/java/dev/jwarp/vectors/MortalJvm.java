package dev.jwarp.vectors;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Runs a part of a test in a JVM of its own, which may not survive. */
public final class MortalJvm {
    /** Its own waits fail first, and say for what. */
    private static final long LIMIT_SECONDS = 2 * Patience.SECONDS;

    private MortalJvm() {}

    /** {@return flags for the compilers that this JVM has} */
    public static List<String> compilers() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /**
     * {@return all that it printed} Throws AssertionError if it does not come to an end.
     *
     * @param folder for what it prints, and for what a crash leaves
     * @param flags of the JVM
     * @param program has the main method; on the class path of this JVM
     */
    public static String run(Path folder, List<String> flags, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        return endOf(System.getProperty("java.class.path"), folder, flags, program, arguments)
                .output();
    }

    /**
     * How a JVM ended.
     *
     * @param status its exit status
     * @param output all that it printed
     */
    public record Ended(int status, String output) {}

    /** {@return how it ended; as {@link #run}, with another class path} */
    public static Ended endOf(String classPath, Path folder, List<String> flags, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        return run(folder, command(classPath, folder, flags, program, arguments), program);
    }

    /** {@return as {@link #run}, in an {@link OwnNetwork}} */
    public static String runInOwnNetwork(Path folder, List<String> flags, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        return run(
                        folder,
                        OwnNetwork.inside(
                                command(System.getProperty("java.class.path"), folder, flags, program, arguments)),
                        program)
                .output();
    }

    private static List<String> command(
            String classPath, Path folder, List<String> flags, Class<?> program, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-XX:ErrorFile=" + folder.resolve("hs_err.log"));
        command.add("-XX:-CreateCoredumpOnCrash");
        command.addAll(List.of("-cp", classPath, program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static Ended run(Path folder, List<String> command, Class<?> program)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(program.getName() + " did not come to an end within " + LIMIT_SECONDS + " s");
            }
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(output));
    }
}
