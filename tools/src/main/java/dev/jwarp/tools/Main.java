package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.cli.Nearest;
import dev.jwarp.tools.cli.Terminal;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.Version;
import dev.jwarp.tools.config.ConfigCommand;
import dev.jwarp.tools.conform.ConformCommand;
import dev.jwarp.tools.conform.ConformTargetCommand;
import dev.jwarp.tools.copy.CopyCommand;
import dev.jwarp.tools.counterpart.CmatoseCommand;
import dev.jwarp.tools.counterpart.RdmaClientCommand;
import dev.jwarp.tools.counterpart.RdmaServerCommand;
import dev.jwarp.tools.decode.DecodeCommand;
import dev.jwarp.tools.demo.DemoCommand;
import dev.jwarp.tools.devinfo.DevinfoCommand;
import dev.jwarp.tools.loss.LossCommand;
import dev.jwarp.tools.message.MessageCommand;
import dev.jwarp.tools.perf.PerfCommand;
import dev.jwarp.tools.perf.perftest.PerftestPeer;
import dev.jwarp.tools.ping.RpingCommand;
import dev.jwarp.tools.ping.UdpingCommand;
import dev.jwarp.tools.proxy.ProxyCommand;
import dev.jwarp.tools.stat.LinkCommand;
import dev.jwarp.tools.stat.ResourceCommand;
import dev.jwarp.tools.stat.StatisticCommand;
import dev.jwarp.tools.study.StudyCommand;
import dev.jwarp.verbs.RdmaProvider;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code jwarp} command: finds the tool that is asked for and runs it. */
@Command(
        name = "jwarp",
        mixinStandardHelpOptions = true,
        description = "iWARP (RDMA over TCP, and over UDP) in user space.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "'jwarp help COMMAND' explains a command. Results go to standard output, everything else to standard error."
        })
public final class Main implements Callable<Integer> {
    /** Time that a signal leaves the command to print its results so far; a busy machine needs seconds for a report. */
    private static final long LAST_WORDS_SECONDS = 20;

    /** How picocli lists the constants of an enum. */
    private static final Pattern CHOICES = Pattern.compile("expected (one of \\[[A-Z0-9_, ]+]) \\(case-insensitive\\)");

    private static final String IN_EXCEPTIONS = "jdk.includeInExceptions";

    private final Console console;

    private Main(Console console) {
        this.console = console;
    }

    /** Runs the command and ends the JVM with its exit status. */
    public static void main(String[] args) {
        speakAlikeEverywhere();
        Console console = Console.system();
        CountDownLatch finished = new CountDownLatch(1);
        // On a signal the JVM runs its shutdown hooks and exits with 128+n by itself. The hook asks the command to end,
        // and waits up to LAST_WORDS_SECONDS until the command has printed its results.
        Thread lastWords = new Thread(() -> {
            console.interruption().request(Interruption.SIGINT);
            awaitQuietly(finished);
        });
        Runtime.getRuntime().addShutdownHook(lastWords);
        int status = run(console, args);
        finished.countDown();
        if (console.interruption().signal() != Interruption.SIGINT) {
            System.exit(status);
        }
    }

    /**
     * Makes the output independent of the user's locale: other programs read the numbers, and picocli converts options
     * to upper case to sort them. Messages of socket exceptions include the address, because the user of a tool needs
     * it.
     */
    static void speakAlikeEverywhere() {
        Locale.setDefault(Locale.ROOT);
        if (System.getProperty(IN_EXCEPTIONS) == null) {
            System.setProperty(IN_EXCEPTIONS, "hostInfo");
        }
    }

    private static void awaitQuietly(CountDownLatch finished) {
        try {
            boolean inTime = finished.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
            assert inTime || finished.getCount() > 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return the exit status of a command line, run in this JVM} */
    public static int run(Console console, String... args) {
        return console.ended(execute(console, args));
    }

    private static int execute(Console console, String... args) {
        Map<String, Supplier<Object>> tools = tools(console);
        Supplier<Object> named = args.length == 0 ? null : tools.get(args[0]);
        // Only the named tool is created: reading the options of all tools by reflection takes a quarter of the time of
        // a short command.
        return commandLine(console, named == null ? tools.values() : List.of(named))
                .execute(args);
    }

    /** {@return the command with all its tools} */
    static CommandLine commandLine(Console console) {
        return commandLine(console, tools(console).values());
    }

    /** {@return the factory of each tool, by the tool's name} */
    private static Map<String, Supplier<Object>> tools(Console console) {
        Supplier<RdmaProvider> provider = RdmaProvider::load;
        Map<String, Supplier<Object>> tools = new LinkedHashMap<>();
        tools.put("cmatose", () -> new CmatoseCommand(console, provider));
        tools.put("rdma-server", () -> new RdmaServerCommand(console, provider));
        tools.put("rdma-client", () -> new RdmaClientCommand(console, provider));
        tools.put("demo", () -> new DemoCommand(console, provider));
        tools.put("rping", () -> new RpingCommand(console, provider));
        tools.put("udping", () -> new UdpingCommand(console, provider));
        tools.put("cp", () -> new CopyCommand(console, provider));
        tools.put("message", () -> new MessageCommand(console, provider));
        tools.put("proxy", () -> new ProxyCommand(console, provider));
        tools.put("loss", () -> new LossCommand(console, provider, Main.class));
        tools.put("study", () -> new StudyCommand(console, Main.class));
        tools.put("perf", () -> new PerfCommand(console, provider, PerftestPeer.LANGUAGE));
        tools.put("conform", () -> new ConformCommand(console, provider));
        tools.put("conform-target", () -> new ConformTargetCommand(console, provider));
        // picocli applies a model transformer only if the CommandLine of the command is created explicitly.
        tools.put("decode", () -> new CommandLine(new DecodeCommand(console, System.in)));
        tools.put("devinfo", () -> new DevinfoCommand(console, provider));
        tools.put("config", () -> new ConfigCommand(console, provider));
        tools.put("statistic", () -> new StatisticCommand(console, provider));
        tools.put("link", () -> new LinkCommand(console, provider));
        tools.put("resource", () -> new ResourceCommand(console, provider));
        tools.put("completion", () -> new Completion(console));
        tools.put("help", () -> new HelpCommand(console));
        return tools;
    }

    private static CommandLine commandLine(Console console, Collection<Supplier<Object>> tools) {
        CommandLine jwarp = new CommandLine(new Main(console));
        tools.forEach(tool -> jwarp.addSubcommand(tool.get()));
        return configure(jwarp, console);
    }

    private static CommandLine configure(CommandLine jwarp, Console console) {
        TreeMap<String, String> statuses = new TreeMap<>();
        for (ExitStatus status : ExitStatus.values()) {
            statuses.put(" " + status.code(), status.sentence());
        }
        statuses.put("128+n", "ended by signal n, after printing the results so far (130: Ctrl-C; 141: broken pipe)");
        everyCommand(jwarp)
                .forEach(command -> command.getCommandSpec()
                        .version("jwarp " + Version.NUMBER)
                        .usageMessage()
                        .exitCodeListHeading("%nExit status:%n")
                        .exitCodeList(statuses));
        Terminal terminal = new Terminal(console.environment());
        return jwarp.setOut(new PrintWriter(console.out(), true, UTF_8))
                .setErr(new PrintWriter(console.err(), true, UTF_8))
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.ansi()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedSubcommandsAllowed(true)
                .setHelpFactory((command, scheme) -> {
                    command.usageMessage().width(terminal.columns());
                    return new CommandLine.Help(command, scheme);
                })
                .setExecutionStrategy(parsed -> {
                    // --help shows the help even if the rest of the command line is wrong.
                    if (!parsed.unmatched().isEmpty()) {
                        throw new UnmatchedArgumentException(
                                parsed.commandSpec().commandLine(), parsed.unmatched());
                    }
                    return new CommandLine.RunLast().execute(parsed);
                })
                .setParameterExceptionHandler((wrong, args) -> refuse(console, wrong, args));
    }

    private static Stream<CommandLine> everyCommand(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream().distinct().flatMap(Main::everyCommand));
    }

    private static int refuse(Console console, ParameterException wrong, String... args) {
        CommandLine command = wrong.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        ToolFailure failure = ToolFailure.usage(sentence(wrong), "'" + name + " --help' lists what there is");
        failure.print(console.err());
        if (command.getCommand() instanceof ToolCommand tool && wantsJson(command, args)) {
            tool.refuse(failure);
        }
        return ExitStatus.USAGE.code();
    }

    private static boolean wantsJson(CommandLine command, String... args) {
        List<String> given = Arrays.asList(args);
        return given.contains("--json")
                || (given.contains("-j") && command.getCommandSpec().findOption("-j") != null);
    }

    private static String sentence(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unknown)) {
            // picocli prints the names of an enum's constants in upper case; the help and the documentation use lower
            // case.
            return CHOICES.matcher(String.valueOf(wrong.getMessage()))
                    .replaceAll(found -> "expected " + found.group(1).toLowerCase(Locale.ROOT));
        }
        String first = unknown.getUnmatched().get(0);
        Object command = wrong.getCommandLine().getCommand();
        if (command instanceof ToolCommand tool) {
            String flag = first.startsWith("--") || first.length() < 2 ? first : first.substring(0, 2);
            String reason = tool.refusal(flag);
            if (reason != null) {
                return "'" + flag + "' is not supported: " + reason;
            }
        }
        if (first.startsWith("-")) {
            String option = first.replaceFirst("=.*", "");
            return "there is no option '" + first + "'"
                    + Nearest.question(option, options(wrong.getCommandLine().getCommandSpec()));
        }
        return command instanceof Main
                ? "there is no command '" + first + "'"
                        + Nearest.question(
                                first, wrong.getCommandLine().getSubcommands().keySet())
                : "there is no argument '" + first + "'";
    }

    private static List<String> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()))
                .sorted()
                .toList();
    }

    /** Without a command the help goes to standard error: it is not a result. */
    @Override
    public Integer call() {
        commandLine(console).usage(console.err(), console.ansi());
        return ExitStatus.USAGE.code();
    }

    /** Shows help, as a command. */
    @Command(
            name = "help",
            mixinStandardHelpOptions = true,
            description = "Show this help, or that of a command, as 'jwarp COMMAND --help' does.")
    static final class HelpCommand implements Callable<Integer> {
        private final Console console;

        @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "The command; none for the list of all.")
        private @Nullable String command;

        HelpCommand(Console console) {
            this.console = console;
        }

        @Override
        public Integer call() {
            String about = command;
            return about == null ? execute(console, "--help") : execute(console, about, "--help");
        }
    }

    /** Prints a script for the shell. */
    @Command(
            name = "completion",
            mixinStandardHelpOptions = true,
            description = {
                "Print a script that lets bash or zsh complete jwarp's commands and options.",
                "Use it so: source <(jwarp completion)"
            })
    static final class Completion implements Runnable {
        private final Console console;

        Completion(Console console) {
            this.console = console;
        }

        @Override
        public void run() {
            console.out().print(script(commandLine(console)));
            console.out().flush();
        }

        /** {@return a script for bash that zsh accepts, too} */
        static String script(CommandLine jwarp) {
            // zsh has no compopt. The script of picocli replaces it by an alias, but functions that zsh autoloads do
            // not expand aliases.
            return AutoComplete.bash("jwarp", jwarp)
                    + "\nif [ -n \"${ZSH_VERSION-}\" ]; then unalias compopt 2>/dev/null; function compopt { :; }; fi\n";
        }
    }
}
