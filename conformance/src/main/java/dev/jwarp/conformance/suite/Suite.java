package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Role;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** All cases, in the order of the catalogue. */
public final class Suite {
    private final List<TestCase> cases;

    private Suite(List<TestCase> cases) {
        this.cases = List.copyOf(cases);
    }

    /** The cases that these objects declare as annotated methods. */
    public static Suite of(Catalogue catalogue, List<?> groups) {
        List<String> order = catalogue.all().stream().map(Requirement::id).toList();
        List<TestCase> cases = new ArrayList<>();
        for (Object group : groups) {
            for (Method method : group.getClass().getDeclaredMethods()) {
                Case declared = method.getAnnotation(Case.class);
                if (declared != null) {
                    for (Role role : roles(method, declared)) {
                        cases.add(testCase(catalogue, order, group, method, declared, role));
                    }
                }
            }
        }
        Set<String> ids = new HashSet<>();
        for (TestCase test : cases) {
            if (!ids.add(test.id())) {
                throw new IllegalStateException("two cases are called " + test.id());
            }
        }
        cases.sort(Comparator.<TestCase>comparingInt(
                        c -> order.indexOf(c.requirement().id()))
                .thenComparing(TestCase::id));
        return new Suite(cases);
    }

    /**
     * A case that takes a {@link Trial} is for the roles that it names; any other case is for devices that speak
     * datagrams.
     */
    private static Role[] roles(Method method, Case declared) {
        return method.getParameterTypes()[0] == Trial.class ? declared.device() : new Role[] {Role.DATAGRAM};
    }

    private static TestCase testCase(
            Catalogue catalogue, List<String> order, Object group, Method method, Case declared, Role role) {
        // Only the package of a group sees its methods; no other code calls a case.
        method.setAccessible(true);
        String[] parts = declared.value().split(": ", 2);
        List<String> tested = ids(parts[0]);
        List<Requirement> requirements = tested.stream().map(catalogue::get).toList();
        String name = method.getName().replaceAll("([A-Z0-9]+)", "-$1").toLowerCase(Locale.ROOT);
        String id = requirements.get(0).id() + ":" + name + "@" + role;
        return new TestCase(
                id,
                requirements,
                parts[1],
                role,
                after(catalogue, order, declared, tested),
                needs(group, declared),
                t -> call(group, method, t));
    }

    private static List<String> ids(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    private static List<Ability> needs(Object group, Case declared) {
        Case.Needs all = group.getClass().getAnnotation(Case.Needs.class);
        return Stream.concat(Stream.of(declared.needs()), all == null ? Stream.empty() : Stream.of(all.value()))
                .toList();
    }

    private static List<String> after(Catalogue catalogue, List<String> order, Case declared, List<String> tested) {
        List<String> after = new ArrayList<>(ids(declared.after()));
        after.forEach(catalogue::get); // throws an exception if the id does not exist
        // Further tested requirements, where those come before the case's own in the documents.
        tested.stream()
                .filter(r -> order.indexOf(r) < order.indexOf(tested.get(0)))
                .forEach(after::add);
        return List.copyOf(after);
    }

    private static void call(Object group, Method method, Attempt attempt) throws Exception {
        try {
            method.invoke(group, attempt);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** All cases, in order. */
    public List<TestCase> cases() {
        return cases;
    }

    /** The cases for a device in this role that one of the filters names; all of that role if there is no filter. */
    public List<TestCase> cases(Role role, List<String> filters) {
        return cases.stream()
                .filter(c -> c.device() == role)
                .filter(c -> filters.isEmpty() || filters.stream().anyMatch(c::matches))
                .toList();
    }
}
