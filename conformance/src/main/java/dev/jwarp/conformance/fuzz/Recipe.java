package dev.jwarp.conformance.fuzz;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/** One mutated conversation. The same seed and number make the same conversation, and so does its text. */
public record Recipe(List<Act> acts) {
    private static final int MOST_ACTS = 7;
    /** Kinds of actions in the middle of a conversation. */
    private static final Act.Kind[] KINDS =
            EnumSet.range(Act.Kind.SEND, Act.Kind.NOISE).toArray(Act.Kind[]::new);

    private static final Act.Change[] CHANGES = Act.Change.values();
    private static final int[] LENGTHS = {0, 1, 3, 4, 16, 64, 500, 1_442, 4_096, 20_000};

    public Recipe {
        acts = List.copyOf(acts);
    }

    /**
     * The conversation with this number of the run with this seed.
     *
     * @param start false leaves the start-up frames valid; the rest is the same
     */
    public static Recipe of(long seed, long number, boolean start) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
        List<Act> acts = new ArrayList<>();
        if (random.nextInt(10) == 0) {
            Act spoilt = new Act(Act.Kind.START, 0, 0, change(random), random.nextInt(1 << 16), cut(random));
            if (start) {
                acts.add(spoilt);
            }
        }
        int count = 1 + random.nextInt(MOST_ACTS);
        int wrong = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            Act.Kind kind = KINDS[random.nextInt(KINDS.length)];
            boolean changed = i == wrong || random.nextInt(6) == 0;
            acts.add(new Act(
                    kind,
                    LENGTHS[random.nextInt(LENGTHS.length)],
                    random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(1 << 16),
                    changed ? change(random) : Act.Change.NONE,
                    random.nextInt(1 << 16),
                    random.nextInt(3) == 0 ? cut(random) : 0));
        }
        // Most conversations end without a FIN or RST of the tester, so that the device's reaction can be seen.
        int end = random.nextInt(20);
        if (end < 3) {
            acts.add(new Act(end == 0 ? Act.Kind.RESET : Act.Kind.FINISH, 0, 0, Act.Change.NONE, 0, 0));
        }
        return new Recipe(acts);
    }

    private static Act.Change change(SplittableRandom random) {
        return CHANGES[1 + random.nextInt(CHANGES.length - 1)];
    }

    private static int cut(SplittableRandom random) {
        return 1 + random.nextInt(random.nextBoolean() ? 30 : 2_000);
    }

    /** Whether the recipe has a start-up frame of its own. */
    boolean spoilsStart() {
        return !acts.isEmpty() && acts.get(0).kind() == Act.Kind.START;
    }

    /** The actions, one a line. */
    public String text() {
        StringBuilder text = new StringBuilder();
        acts.forEach(act -> text.append(act.text()).append('\n'));
        return text.toString();
    }

    /** Reads recipes, separated by empty lines; lines that begin with {@code #} are comments. */
    public static List<Recipe> parse(List<String> lines) {
        List<Recipe> recipes = new ArrayList<>();
        List<Act> acts = new ArrayList<>();
        for (int i = 0; i <= lines.size(); i++) {
            String line = i < lines.size() ? lines.get(i).strip() : "";
            if (line.startsWith("#")) {
                continue;
            }
            if (!line.isEmpty()) {
                try {
                    acts.add(Act.parse(line));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
                }
            } else if (!acts.isEmpty()) {
                recipes.add(new Recipe(acts));
                acts = new ArrayList<>();
            }
        }
        return recipes;
    }
}
