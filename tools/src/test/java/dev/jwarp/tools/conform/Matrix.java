package dev.jwarp.tools.conform;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Scratch. */
public final class Matrix {
    public static void main(String[] a) throws Exception {
        String only = a[0];
        int threads = Integer.parseInt(a[1]);
        PrintStream out = new PrintStream(a[2], StandardCharsets.UTF_8);
        Patience patience = Patience.of(2_000, 200, 10_000);
        List<TestCase> all = AllCases.suite().cases();
        List<Mutant> both = new ArrayList<>(Mutant.coarse());
        both.addAll(Mutant.all());
        List<Mutant> mutants = both.stream()
                .filter(m -> (m.breaks() + " " + m.title()).matches(".*(" + only + ").*"))
                .toList();
        Map<Mutant, Map<String, byte[]>> classes = MutantCompiler.compile(mutants);
        ExecutorService workers = Executors.newFixedThreadPool(threads, w -> {
            Thread t = new Thread(w, "matrix");
            t.setDaemon(true);
            return t;
        });
        List<Mutant> list = new ArrayList<>(mutants);
        if (a.length > 3) {
            list.add(0, null);
        }
        List<Future<?>> runs = new ArrayList<>();
        for (Mutant m : list) {
            runs.add(workers.submit(() -> {
                long began = System.nanoTime();
                MutantStack stack = m == null ? MutantStack.unchanged() : MutantStack.with(classes.get(m));
                String role = m == null ? "" : m.caughtBy().replaceAll(".*@", "");
                List<TestCase> cases = all.stream()
                        .filter(c -> m == null || c.device().toString().equals(role))
                        .toList();
                List<Result> results = stack.run(cases, patience);
                int fails = 0;
                synchronized (out) {
                    for (Result r : results) {
                        if (!r.verdict().toString().equals("pass")) {
                            fails++;
                            out.println((m == null ? "none\tNONE" : m.title() + "\t" + m.breaks()) + "\t"
                                    + r.test().id() + "\t" + r.verdict() + "\t"
                                    + r.charge().requirement() + "\t"
                                    + r.nanos() / 1_000_000 + "\t" + r.expected() + "\t"
                                    + (r.actual().length() > 200 ? r.actual().substring(0, 200) : r.actual()));
                        }
                    }
                    out.flush();
                    System.out.println((m == null ? "none" : m.breaks() + " " + m.title()) + ": " + results.size()
                            + " cases, " + fails + " not passed, " + (System.nanoTime() - began) / 1_000_000_000
                            + " s");
                }
                return null;
            }));
        }
        for (Future<?> f : runs) {
            f.get();
        }
        System.exit(0);
    }
}
