package dev.jwarp.tools.conform;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the whole suite charges each mutant with, by the mutant's title. It stands in {@code charges.tsv}, as it was measured last.
 *
 * @param charged requirements that a run's failed and explained cases are charged to
 */
record Charges(Map<String, Set<String>> charged) {
    private static final Path FILE = Path.of("src/test/resources/dev/jwarp/tools/conform/charges.tsv");

    /**
     * How right the charges are.
     *
     * @param right requirements that are broken and charged
     * @param wrong requirements that are charged and not broken
     * @param missed requirements that are broken and not charged
     * @param worst the most that are charged wrongly to one stack
     */
    record Score(int right, int wrong, int missed, int worst) {
        /** Of the requirements that are charged, the part that is broken. */
        double precision() {
            return right / (double) (right + wrong);
        }

        /** Of the requirements that are broken, the part that is charged. */
        double recall() {
            return right / (double) (right + missed);
        }

        /** What a tester has to reach with which stacks can be mended. */
        boolean holds() {
            return precision() >= 0.9 && recall() >= 0.95 && worst <= 3;
        }

        String words() {
            return String.format(
                    Locale.ROOT,
                    "precision %.3f (%d of %d charges), recall %.3f (%d of %d broken requirements), at most %d wrong charges for one",
                    precision(),
                    right,
                    right + wrong,
                    recall(),
                    right,
                    right + missed,
                    worst);
        }
    }

    static Charges read() throws IOException {
        Map<String, Set<String>> charged = new TreeMap<>();
        for (String line : Files.readAllLines(FILE, StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t", -1);
            charged.put(fields[0], new TreeSet<>(List.of(fields[1].split(" ", -1))));
            charged.get(fields[0]).remove("");
        }
        return new Charges(charged);
    }

    /** Keeps the lines of these. */
    void write(Collection<Mutant> mutants) throws IOException {
        Set<String> titles = mutants.stream().map(Mutant::title).collect(Collectors.toSet());
        Files.writeString(
                FILE,
                charged.entrySet().stream()
                        .filter(e -> titles.contains(e.getKey()))
                        .map(e -> e.getKey() + "\t" + String.join(" ", e.getValue()) + "\n")
                        .collect(Collectors.joining()));
    }

    /** {@return what this mutant is charged with} */
    Set<String> of(Mutant mutant) {
        Set<String> of = charged.get(mutant.title());
        if (of == null) {
            throw new IllegalStateException("charges.tsv has no line for: " + mutant.title()
                    + " Run ChargesTest with -Dcharges.only=REGEX -Dcharges.write=true");
        }
        return of;
    }

    /** {@return what this mutant is charged with and does not break} */
    Set<String> wrong(Mutant mutant) {
        Set<String> wrong = new TreeSet<>(of(mutant));
        wrong.removeAll(mutant.broken());
        return wrong;
    }

    /** {@return what this mutant breaks and is not charged with} */
    Set<String> missed(Mutant mutant) {
        Set<String> missed = new TreeSet<>(mutant.broken());
        missed.removeAll(of(mutant));
        return missed;
    }

    Score score(Collection<Mutant> mutants) {
        int broken = mutants.stream().mapToInt(m -> m.broken().size()).sum();
        int missed = mutants.stream().mapToInt(m -> missed(m).size()).sum();
        List<Integer> wrong = new ArrayList<>();
        mutants.forEach(m -> wrong.add(wrong(m).size()));
        return new Score(
                broken - missed,
                wrong.stream().mapToInt(w -> w).sum(),
                missed,
                wrong.stream().mapToInt(w -> w).max().orElse(0));
    }
}
