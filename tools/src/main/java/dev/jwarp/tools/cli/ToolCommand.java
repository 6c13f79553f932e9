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
 * What the commands have in common: results as text or as one JSON document, also when the run fails; failures as a
 * sentence and a status.
 */
public abstract class ToolCommand implements Callable<Integer> {
    /** The world around the command. */
    protected final Console console;

    /** What the run has found out so far, for JSON; null if nothing. */
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

    /** {@return what the run has found out so far, for JSON; null if nothing} */
    protected @Nullable Object result() {
        return result;
    }

    /** {@return the settings in force, for JSON} */
    protected Map<String, Json.EffectiveSetting> settings() {
        return Map.of();
    }

    /** {@return the status word, for JSON, of a run without a failure} */
    protected String wellEnded() {
        return "ok";
    }

    /** {@return familiar flags of the original tool that this command does not take, each with what to do instead} */
    protected Map<String, String> refusedFlags() {
        return Map.of();
    }

    /** {@return what to do instead of that flag of the original tool; null if it is none that is known and not taken} */
    public final @Nullable String refusal(String flag) {
        return refusedFlags().get(flag);
    }

    /** {@return the options that the user gave, each by the first of its names} */
    protected final Set<String> given() {
        return spec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.names()[0])
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Prints what {@code --json} is to show of a command line that makes no sense. */
    public void refuse(ToolFailure why) {
        Json.Failure failure = new Json.Failure(why.sentence(), why.details());
        console.line(Json.text(document("usage", ExitStatus.USAGE.code(), Map.of(), null, failure)));
    }

    /** {@return whether stack traces and notes about each step are wanted} */
    protected boolean debug() {
        return console.debug();
    }

    /** Prints one line of results, unless they are to be JSON. */
    protected final void line(String text) {
        if (!json()) {
            console.line(text);
        }
    }

    /** {@return whether the results are to be JSON} */
    protected boolean json() {
        return json;
    }

    /** Tells the user about a step, if that is wanted. */
    protected void trace(String text) {
        if (debug()) {
            console.note(text);
        }
    }

    /** {@return whether the command shall end early} */
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

    /** Does what is to be done at the very end, however the run went; nothing, usually. @return the exit status */
    protected int conclude(String word, int status, Json.@Nullable Failure failure) {
        return status;
    }

    /** Prints what {@code --json} is to show at the end of a run, however it ended: one document. */
    protected void printDocument(String word, int status, @Nullable Object result, Json.@Nullable Failure failure) {
        console.line(Json.text(document(word, status, settingsIfAny(), result, failure)));
    }

    /** {@return what {@code --json} is to show, of a command line that makes no sense, too} */
    protected Object document(
            String word,
            int status,
            Map<String, Json.EffectiveSetting> config,
            @Nullable Object result,
            Json.@Nullable Failure failure) {
        return new Json.Document("jwarp." + spec.name() + "/1", Version.NUMBER, word, status, config, result, failure);
    }

    /** A run that failed because of its settings, or without a device, has none to show. */
    protected final Map<String, Json.EffectiveSetting> settingsIfAny() {
        try {
            return settings();
        } catch (RuntimeException e) {
            return Map.of();
        }
    }
}
