package dev.jwarp.conformance.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a list that breaks something small: leaves out ever smaller parts of it as long as it still breaks (delta debugging). */
final class Minimiser {
    private int trialsLeft;

    /** @param trials how often it may try in all; the smallest so far is the answer then */
    Minimiser(int trials) {
        trialsLeft = trials;
    }

    /** A part of {@code whole}, in its order, that still breaks and of which no single element can be left out. */
    <T> List<T> smallest(List<T> whole, Predicate<List<T>> breaks) {
        List<T> smallest = List.copyOf(whole);
        int parts = 2;
        while (smallest.size() > 1 && trialsLeft > 0) {
            List<T> smaller = withoutOnePart(smallest, Math.min(parts, smallest.size()), breaks);
            if (smaller != null) {
                smallest = smaller;
                parts = Math.max(2, parts - 1);
            } else if (parts >= smallest.size()) {
                return smallest;
            } else {
                parts *= 2;
            }
        }
        return smallest;
    }

    private <T> @org.jspecify.annotations.Nullable List<T> withoutOnePart(
            List<T> whole, int parts, Predicate<List<T>> breaks) {
        for (int i = 0; i < parts && trialsLeft > 0; i++) {
            int from = (int) ((long) whole.size() * i / parts);
            int to = (int) ((long) whole.size() * (i + 1) / parts);
            List<T> rest = new ArrayList<>(whole.subList(0, from));
            rest.addAll(whole.subList(to, whole.size()));
            trialsLeft--;
            if (!rest.isEmpty() && breaks.test(rest)) {
                return rest;
            }
        }
        return null;
    }

    /** One more trial is allowed; it is counted. */
    boolean another() {
        return trialsLeft-- > 0;
    }
}
