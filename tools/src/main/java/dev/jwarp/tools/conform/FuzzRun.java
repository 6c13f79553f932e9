package dev.jwarp.tools.conform;

import dev.jwarp.conformance.fuzz.Campaign;
import dev.jwarp.conformance.fuzz.FuzzPlayer;
import dev.jwarp.conformance.fuzz.Recipe;
import dev.jwarp.conformance.report.Capture;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of {@code jwarp conform --fuzz}: batches of conversations with a check after each, and the files of a fault.
 */
final class FuzzRun {
    static final int BATCH = 500;
    private static final long COMES_BACK_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LOOKS = 10;

    private final Console console;
    private final FuzzFlags flags;
    private final List<FuzzPlayer> players;
    private final boolean measured;
    private final long seed;
    private final Campaign campaign;
    private final List<Memory> memory = new ArrayList<>();
    private long done;

    /**
     * The result of a run.
     *
     * @param conversations number of conversations
     * @param endings number of conversations by their ending
     * @param memory of the JVM after a collection, if the device is in it
     * @param interrupted whether the run ended early
     * @param fault the fault of the device; null if there was none
     * @param kept the file with the conversations that provoke the fault; null if there was none
     */
    record Outcome(
            long seed,
            long conversations,
            double seconds,
            Map<String, Integer> endings,
            List<Memory> memory,
            boolean interrupted,
            @Nullable String fault,
            @Nullable String kept) {}

    /** The heap in use after a collection. */
    record Memory(long conversations, double heapMegabytes) {}

    /** @param measured whether the device is in this JVM, whose memory is then measured now and then */
    FuzzRun(Console console, FuzzFlags flags, List<FuzzPlayer> players, boolean measured) {
        this.console = console;
        this.flags = flags;
        this.players = players;
        this.measured = measured;
        this.seed = flags.seed == null ? console.nanoTime().getAsLong() & 0xFFFF_FFFFL : flags.seed;
        this.campaign = new Campaign(seed, !flags.goodStart, players, this::revived, console.interruption()::requested);
    }

    /** Runs to the end, to the first fault, or to an interruption. */
    Outcome run(Consumer<String> out) throws InterruptedException {
        long began = console.nanoTime().getAsLong();
        String first = players.get(0).serves();
        if (!first.isEmpty()) {
            throw ToolFailure.setup("before the first conversation: " + first);
        }
        Campaign.Fault fault = flags.replay != null ? replay(flags.replay) : campaign();
        double seconds = (console.nanoTime().getAsLong() - began) / 1e9;
        Path kept = fault == null ? null : keep(fault);
        Outcome outcome = new Outcome(
                seed,
                done,
                seconds,
                campaign.endings(),
                List.copyOf(memory),
                console.interruption().requested(),
                fault == null ? null : fault.what(),
                kept == null ? null : kept.toString());
        tell(outcome, out);
        return outcome;
    }

    private Campaign.@Nullable Fault campaign() throws InterruptedException {
        long count = flags.count == null ? 0 : flags.count;
        long step = Math.max(BATCH, count / LOOKS / BATCH * BATCH);
        Campaign.Fault fault = null;
        while (fault == null && done < count && !console.interruption().requested()) {
            long to = Math.min(count, done + BATCH);
            fault = campaign.batch(done, to);
            done = to;
            if (done % step == 0 || done == count) {
                look(count);
            }
        }
        return fault;
    }

    private Campaign.@Nullable Fault replay(Path file) throws InterruptedException {
        try {
            List<Recipe> recipes = Recipe.parse(Files.readAllLines(file));
            done = recipes.size();
            return campaign.batch(recipes);
        } catch (IOException | IllegalArgumentException e) {
            throw ToolFailure.usage("cannot read the conversations in " + file + ": " + e.getMessage());
        }
    }

    private void look(long count) {
        String heap = "";
        if (measured) {
            System.gc();
            double megabytes =
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
            memory.add(new Memory(done, megabytes));
            heap = String.format(Locale.ROOT, ", heap %.1f MB", megabytes);
        }
        console.note(done + " of " + count + " conversations" + heap);
    }

    private static void tell(Outcome outcome, Consumer<String> out) {
        out.accept(String.format(
                Locale.ROOT,
                "seed %d: %d conversations in %.1f s",
                outcome.seed,
                outcome.conversations,
                outcome.seconds));
        outcome.endings.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(e -> out.accept("%9d  %s".formatted(e.getValue(), e.getKey())));
        if (!outcome.memory.isEmpty()) {
            Memory first = outcome.memory.get(0);
            Memory last = outcome.memory.get(outcome.memory.size() - 1);
            out.accept(String.format(
                    Locale.ROOT,
                    "heap after a collection: %.1f MB after %d conversations, %.1f MB after %d",
                    first.heapMegabytes,
                    first.conversations,
                    last.heapMegabytes,
                    last.conversations));
        }
        if (outcome.fault != null) {
            out.accept("FAULT: " + outcome.fault);
            out.accept("kept in " + outcome.kept + "; replay it with --replay " + outcome.kept);
        } else if (outcome.interrupted) {
            out.accept("no fault before the interruption");
        } else {
            out.accept("no fault: a good client was served after every " + BATCH + " conversations, and at the end");
        }
    }

    /** {@return whether the device serves again, by itself within ten seconds or after a restart} */
    private boolean revived() {
        if (flags.restart != null) {
            new Restart(flags.restart, console).run();
        }
        long deadline = console.nanoTime().getAsLong() + COMES_BACK_NANOS;
        while (!console.interruption().requested() && console.nanoTime().getAsLong() < deadline) {
            if (players.get(0).serves().isEmpty()) {
                return true;
            }
            console.interruption().pause(TimeUnit.MILLISECONDS.toNanos(100));
        }
        return false;
    }

    private Path keep(Campaign.Fault fault) {
        Path file = flags.keep.resolve("fuzz-" + seed + "-" + done + ".txt");
        StringBuilder text = new StringBuilder("# " + fault.what().replace('\n', ' ') + "\n# seed " + seed + ", "
                + (fault.small() ? "minimized" : "all conversations before the fault was noticed") + "\n");
        fault.recipes().forEach(r -> text.append('\n').append(r.text()));
        try {
            Files.createDirectories(flags.keep);
            Files.writeString(file, text);
            Wire last = players.get(0).last();
            if (fault.small() && last != null) {
                Capture.write(flags.keep.resolve("fuzz-" + seed + "-" + done + ".pcap"), List.of(last));
            }
        } catch (IOException e) {
            throw ToolFailure.setup("cannot keep the conversations in " + file + ": " + e.getMessage());
        }
        return file;
    }
}
