package dev.jwarp.benchmarks.touched;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Sums over the messages of one pass, at one end. Two passes are equal if each object's class, each method and each
 * instruction has the same counts.
 *
 * @param objects distinct objects and arrays of each message, summed by the name of their class
 * @param executed executions of each site
 * @param messages number of messages that executed each site
 */
record Touched(Map<String, Integer> objects, Map<Site, Integer> executed, Map<Site, Integer> messages) {
    Touched() {
        this(new TreeMap<>(), new HashMap<>(), new HashMap<>());
    }

    /** {@return the sums of some messages} */
    static Touched sum(List<TouchRecorder.Message> messages) {
        Touched sums = new Touched();
        messages.forEach(sums::add);
        return sums;
    }

    private void add(TouchRecorder.Message message) {
        for (Object object : message.objects()) {
            String name = object.getClass().getTypeName();
            int lambda = name.indexOf("$$Lambda"); // a number follows that differs from run to run
            objects.merge(lambda < 0 ? name : name.substring(0, lambda) + "$$Lambda", 1, Integer::sum);
        }
        Set<Site> sites = new HashSet<>(); // two instructions of a method may be one site
        int[] counts = message.counts();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                Site site = TouchRecorder.site(i);
                executed.merge(site, counts[i], Integer::sum);
                sites.add(site);
            }
        }
        sites.forEach(site -> messages.merge(site, 1, Integer::sum));
    }

    /** {@return the number of objects, or of arrays, that were read or written} */
    long objects(boolean arrays) {
        return objects.entrySet().stream()
                .filter(one -> one.getKey().endsWith("[]") == arrays)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** {@return the number of executions of sites of such kinds} */
    long executions(Predicate<Site.Kind> kinds) {
        return executed.entrySet().stream()
                .filter(one -> kinds.test(one.getKey().kind()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** {@return the sum of a property of the distinct methods of each message} */
    long methods(ToLongFunction<Site> property) {
        return messages.entrySet().stream()
                .filter(one -> one.getKey().kind() == Site.Kind.METHOD)
                .mapToLong(one -> one.getValue() * property.applyAsLong(one.getKey()))
                .sum();
    }
}
