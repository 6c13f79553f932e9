package dev.jwarp.tools.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The base of all commands. Results are text or one JSON document, also when the run fails. A failure is a sentence and
 * an exit status.
 */
public abstract class ToolCommand implements Callable<Integer> {
    /** The environment of the command. */
    protected final Console console;

    /** The results so far, for JSON; null if there are none. */
    protected @Nullable Object result;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and end.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version and end.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean version;

    @Option(names = "--json", description = "Print one JSON document instead of text.")
    private boolean json;

    protected ToolCommand(Console console) {
        this.console = console;
    }

    /** Does the work and prints results as text through {@link #line}. */
    protected abstract void execute();

    /** {@return the results so far, for JSON; null if there are none} */
    protected @Nullable Object result() {
        return result;
    }

    /** {@return the settings in force, for JSON} */
    protected Map<String, Json.EffectiveSetting> settings() {
        return Map.of();
    }

    /** {@return the JSON status of a run without a failure} */
    protected String wellEnded() {
        return "ok";
    }

    /**
     * {@return flags of the original tool that this command does not support, each with the reason or an alternative}
     */
    protected Map<String, String> refusedFlags() {
        return Map.of();
    }

    /**
     * {@return the reason why a flag of the original tool is not supported, or an alternative; null for other flags}
     */
    public final @Nullable String refusal(String flag) {
        return refusedFlags().get(flag);
    }

    /** {@return the options on the command line, each by the first of its names} */
    protected final Set<String> given() {
        return spec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.names()[0])
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Prints the JSON document for a wrong command line. */
    public void refuse(ToolFailure why) {
        Json.Failure failure = new Json.Failure(why.sentence(), why.details());
        console.line(Json.text(document("usage", ExitStatus.USAGE.code(), Map.of(), null, failure)));
    }

    /** {@return whether to print stack traces and notes about each step} */
    protected boolean debug() {
        return console.debug();
    }

    /** Prints one line of results, unless {@code --json} was given. */
    protected final void line(String text) {
        if (!json()) {
            console.line(text);
        }
    }

    /** {@return whether {@code --json} was given} */
    protected boolean json() {
        return json;
    }

    /** Prints a note about a step, if {@link #debug()}. */
    protected void trace(String text) {
        if (debug()) {
            console.note(text);
        }
    }

    /** {@return whether the command has to end early} */
    protected final boolean interrupted() {
        return console.interruption().requested();
    }

    @Override
    public final Integer call() {
        int status = ExitStatus.OK.code();
        String word = "ok";
        Json.Failure failure = null;
        try {
            execute();
            word = wellEnded();
        } catch (EndedEarly e) {
            trace("ended early");
        } catch (RuntimeException | OutOfMemoryError e) {
            ToolFailure end = Failures.explain(e, debug());
            end.print(console.err());
            status = end.status().code();
            word = end.status().name().toLowerCase(Locale.ROOT);
            failure = new Json.Failure(end.sentence(), end.details());
        }
        if (status == ExitStatus.OK.code() && interrupted()) {
            status = ExitStatus.ofSignal(console.interruption().signal());
            word = "interrupted";
        }
        if (json()) {
            printDocument(word, status, result(), failure);
        }
        status = conclude(word, status, failure);
        console.out().flush();
        return status;
    }

    /**
     * Runs at the very end, after success and failure; does nothing by default.
     *
     * @return the exit status
     */
    protected int conclude(String word, int status, Json.@Nullable Failure failure) {
        return status;
    }

    /** Prints the JSON document at the end of a run, after success and failure. */
    protected void printDocument(String word, int status, @Nullable Object result, Json.@Nullable Failure failure) {
        console.line(Json.text(document(word, status, settingsIfAny(), result, failure)));
    }

    /** {@return the JSON document of a run or of a wrong command line} */
    protected Object document(
            String word,
            int status,
            Map<String, Json.EffectiveSetting> config,
            @Nullable Object result,
            Json.@Nullable Failure failure) {
        return new Json.Document("jwarp." + spec.name() + "/1", Version.NUMBER, word, status, config, result, failure);
    }

    /** Empty after a run that failed because of its settings or of a missing device. */
    protected final Map<String, Json.EffectiveSetting> settingsIfAny() {
        try {
            return settings();
        } catch (RuntimeException e) {
            return Map.of();
        }
    }
}
