package dev.jwarp.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Cycles of packages, and of classes, of jwarp. */
final class Cycles {
    /** Size of the largest cycles: an engine and its phases, a protection domain and its objects. */
    private static final int CLASSES_IN_A_CYCLE = 10;

    /** The interfaces of the verbs name each other, like those of any API. */
    private static final String[] CLASSES_APART = {"dev.jwarp.verbs.."};

    private Cycles() {}

    static final ArchRule PACKAGES_FORM_NONE = classes()
            .should(formCyclesOf("packages", 1, JavaClass::getPackageName))
            .because("packages have an order, like the layers of the protocol");

    static final ArchRule FEW_CLASSES_FORM_ONE = classes()
            .that()
            .resideOutsideOfPackages(CLASSES_APART)
            .should(formCyclesOf("classes", CLASSES_IN_A_CYCLE, Cycles::outermost))
            .because("a reader of one class of a cycle has to read them all");

    /**
     * {@return the condition that at most so many parts form one cycle}
     *
     * @param parts the kind of the parts, for the message
     * @param partOf the part that a class belongs to
     */
    private static ArchCondition<JavaClass> formCyclesOf(String parts, int most, Function<JavaClass, String> partOf) {
        return new ArchCondition<>("form cycles of at most " + most + " " + parts) {
            private final Map<String, Set<String>> uses = new TreeMap<>();
            private final Map<String, String> examples = new HashMap<>();

            @Override
            public void init(Collection<JavaClass> classes) {
                uses.clear();
                examples.clear();
            }

            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String from = partOf.apply(type);
                Set<String> used = uses.computeIfAbsent(from, part -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    String to = partOf.apply(target);
                    used.add(to);
                    examples.putIfAbsent(from + to, type.getFullName() + " -> " + target.getFullName());
                }
            }

            @Override
            public void finish(ConditionEvents events) {
                new Components(uses)
                        .found.stream()
                                .filter(cycle -> cycle.size() > most)
                                .forEach(cycle -> events.add(SimpleConditionEvent.violated(cycle, sentence(cycle))));
            }

            private String sentence(Set<String> cycle) {
                List<String> lines = new ArrayList<>();
                lines.add(cycle.size() + " " + parts + " form one cycle: " + cycle);
                for (String from : cycle) {
                    uses.get(from).stream()
                            .filter(to -> cycle.contains(to) && !to.equals(from))
                            .forEach(to -> lines.add("    " + examples.get(from + to)));
                }
                return String.join("\n", lines);
            }
        };
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(Cycles::outermost).orElse(type.getFullName());
    }

    /** Tarjan's strongly connected components: sets in which each part reaches each other one. */
    private static final class Components {
        final Collection<Set<String>> found = new ArrayList<>();
        private final Map<String, Set<String>> uses;
        private final Map<String, Integer> index = new HashMap<>();
        private final Map<String, Integer> low = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Components(Map<String, Set<String>> uses) {
            this.uses = uses;
            uses.keySet().forEach(this::visit);
        }

        private void visit(String part) {
            if (index.containsKey(part)) {
                return;
            }
            int mine = index.size();
            index.put(part, mine);
            low.put(part, mine);
            open.push(part);
            for (String used : uses.get(part)) {
                if (uses.containsKey(used) && (!index.containsKey(used) || open.contains(used))) {
                    visit(used);
                    low.merge(part, low.get(used), Math::min);
                }
            }
            if (low.get(part) == mine) {
                Set<String> component = new TreeSet<>();
                do {
                    component.add(open.peek());
                } while (!open.pop().equals(part));
                found.add(component);
            }
        }
    }
}
