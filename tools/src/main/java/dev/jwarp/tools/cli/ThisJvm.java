package dev.jwarp.tools.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** This JVM: its command line, to start others like it, and its machine. */
public final class ThisJvm {
    private ThisJvm() {}

    /** {@return the beginning of a command that runs another class in a JVM as this one} */
    public static List<String> command() {
        ProcessHandle.Info info = ProcessHandle.current().info();
        List<String> command = new ArrayList<>(List.of(info.command().orElse("java")));
        command.addAll(optionsOf(info.arguments().orElse(new String[0])));
        // The file has the process id in its name. The JVM warns on standard output where namespaces of processes share
        // a /tmp.
        command.add("-XX:-UsePerfData");
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /** {@return the options of the JVM: its arguments before {@code -jar}} */
    static List<String> optionsOf(String[] arguments) {
        List<String> options = new ArrayList<>();
        for (String argument : arguments) {
            if (argument.equals("-jar")) {
                return options;
            }
            options.add(argument);
        }
        return List.of();
    }

    /** {@return system, processors and Java, in one line} */
    public static String machine() {
        return String.format(
                Locale.ROOT,
                "%s %s, %d processors, Java %s",
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.version"));
    }
}
