package dev.jwarp.tools;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Generates files of the command's package from the command itself: manual pages, completion for bash and zsh, and the
 * catalogue of requirements and cases.
 */
public final class Manual {
    private static final String BASH = "share/bash-completion/completions/jwarp";
    private static final String ZSH = "share/zsh/site-functions/_jwarp";
    private static final String CATALOGUE = "docs/conformance/requirements.txt";

    private final List<String> lines = new ArrayList<>();

    private Manual() {}

    /** Writes all files below the folder that is the argument. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Map<String, String> files = files(Main.commandLine(Console.system()));
        files.put(CATALOGUE, catalogue());
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(Objects.requireNonNull(path.getParent(), "all are in folders"));
            Files.writeString(path, file.getValue());
        }
    }

    /** {@return what {@code jwarp conform --explain} prints} */
    private static String catalogue() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        Console console = new Console(
                new PrintStream(text, false, StandardCharsets.UTF_8),
                System.err,
                System::nanoTime,
                Map.of(),
                new Properties(),
                new Interruption(),
                Ansi.OFF);
        int status = Main.run(console, "conform", "--explain");
        if (status != 0) {
            throw new IllegalStateException("jwarp conform --explain ended with exit status " + status);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** {@return the text of each file, by its path} */
    static Map<String, String> files(CommandLine jwarp) {
        Map<String, String> files = new TreeMap<>();
        files.put("share/man/man1/jwarp.1", page(jwarp));
        jwarp.getSubcommands()
                .values()
                .forEach(command -> files.put("share/man/man1/" + file(command) + ".1", page(command)));
        String bash = Main.Completion.script(jwarp);
        files.put(BASH, bash);
        // zsh loads this file at the first completion and runs it as the completion function. The bash script only
        // registers its function, so the last line calls that function.
        files.put(ZSH, "#compdef jwarp\n" + bash + "\n_bash_complete -o default -F _complete_jwarp\n");
        return files;
    }

    private static String file(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    /** {@return the manual page of a command, in man(7)} */
    static String page(CommandLine command) {
        return new Manual().write(command.getCommandSpec());
    }

    private String write(CommandSpec command) {
        Help help = new Help(command, Help.defaultColorScheme(Ansi.OFF));
        String[] description = command.usageMessage().description();
        lines.add(".TH " + quoted(command.qualifiedName("-").toUpperCase(Locale.ROOT)) + " 1 \"\" "
                + quoted("jwarp " + Version.NUMBER) + " " + quoted("jwarp"));
        section("NAME");
        lines.add(text(command.qualifiedName("-")) + " \\- "
                + text(plain(description[0])).replaceFirst("\\.$", ""));
        section("SYNOPSIS");
        lines.add(".nf");
        command.usageMessage().width(78);
        help.synopsis(0).lines().forEach(line -> lines.add(text(line)));
        lines.add(".fi");
        section("DESCRIPTION");
        for (String paragraph : description) {
            lines.add(".PP");
            lines.add(text(plain(paragraph)));
        }
        arguments(command, help);
        if (!command.subcommands().isEmpty()) {
            section("COMMANDS");
            command.subcommands().values().stream()
                    .distinct()
                    .forEach(sub -> item(
                            bold(String.join(", ", sub.getCommandSpec().names())),
                            sub.getCommandSpec().usageMessage().description()[0]));
        }
        section("EXIT STATUS");
        command.usageMessage().exitCodeList().forEach((code, sentence) -> item(bold(code.strip()), sentence));
        section("SEE ALSO");
        lines.add(
                command.parent() == null
                        ? command.subcommands().values().stream()
                                .distinct()
                                .map(sub -> bold(file(sub)) + "(1)")
                                .reduce((a, b) -> a + ", " + b)
                                .orElse("")
                        : bold(command.parent().name()) + "(1)");
        return String.join("\n", lines) + "\n";
    }

    private void arguments(CommandSpec command, Help help) {
        section("OPTIONS");
        Help.IParamLabelRenderer labels = help.createDefaultParamLabelRenderer();
        command.positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .forEach(
                        parameter -> item(italic(label(labels, parameter)), String.join(" ", parameter.description())));
        command.options().stream()
                .filter(option -> !option.hidden())
                .sorted(Comparator.comparing(Manual::key))
                .forEach(option -> item(
                        bold(String.join(", ", option.names())) + italic(label(labels, option)),
                        String.join(" ", option.description())));
    }

    /** Letters in the order of the alphabet, small before large. */
    private static String key(OptionSpec option) {
        String name = option.longestName().replaceFirst("^-+", "");
        String first = option.names()[0].replaceFirst("^-+", "");
        String sortedBy = first.length() == 1 ? first : name;
        return sortedBy.toLowerCase(Locale.ROOT)
                + sortedBy.chars().filter(Character::isUpperCase).count();
    }

    private static String label(Help.IParamLabelRenderer labels, ArgSpec argument) {
        return labels.renderParameterLabel(argument, Ansi.OFF, List.of()).toString();
    }

    private void section(String name) {
        lines.add(".SH " + quoted(name));
    }

    private void item(String head, String body) {
        lines.add(".TP");
        lines.add(head);
        lines.add(text(plain(body)));
    }

    /** {@return a description as help prints it: percent signs are doubled there} */
    private static String plain(String description) {
        return Ansi.OFF.string(description.replace("%%", "%"));
    }

    private static String bold(String words) {
        return "\\fB" + escaped(words) + "\\fR";
    }

    private static String italic(String words) {
        return words.isEmpty() ? "" : "\\fI" + escaped(words) + "\\fR";
    }

    private static String quoted(String words) {
        return '"' + escaped(words).replace("\"", "\\(dq") + '"';
    }

    /** {@return a text line: man(7) would take a line that begins with a dot or an apostrophe for a request} */
    private static String text(String words) {
        String line = escaped(words);
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    private static String escaped(String words) {
        return words.replace("\\", "\\e").replace("-", "\\-").replace('\n', ' ');
    }
}
