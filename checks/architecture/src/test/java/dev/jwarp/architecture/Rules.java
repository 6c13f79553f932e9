package dev.jwarp.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The rules for the code, each with the sentence that a violation prints. {@link RulesTest} shows that each rule can
 * fail.
 */
final class Rules {
    /** Where sockets, threads and clocks may be: the drivers of the stack, and programs for people. */
    private static final String[] DRIVERS = {
        "dev.jwarp.io..",
        "dev.jwarp..nio..",
        "dev.jwarp.transport..net..",
        "dev.jwarp..netty..",
        "dev.jwarp.rnic.progress..",
        "dev.jwarp.rnic.stat..",
        "dev.jwarp.sockets",
        "dev.jwarp.sockets.connection",
        "dev.jwarp.sockets.datagram",
        "dev.jwarp.disni",
        "dev.jwarp.messaging..",
        "dev.jwarp.conformance.datagram..",
        "dev.jwarp.conformance.fuzz..",
        "dev.jwarp.conformance.script..",
        "dev.jwarp.conformance.suite..",
        "dev.jwarp.tools..",
        "dev.jwarp.torture.."
    };

    /** Of a method or a constructor. */
    private static final int MOST_PARAMETERS = 6;

    /** Classes of java.util.concurrent that may be used everywhere: they neither start a thread nor block one. */
    private static final Set<String> WAIT_FREE = Set.of(
            "ConcurrentHashMap",
            "ConcurrentLinkedDeque",
            "ConcurrentLinkedQueue",
            "ConcurrentMap",
            "ConcurrentSkipListMap",
            "CopyOnWriteArrayList",
            "CopyOnWriteArraySet",
            "TimeUnit");

    private static final Set<String> CLOCKS = Set.of(
            "java.time.Clock",
            "java.time.InstantSource",
            "java.util.Calendar",
            "java.util.Date",
            "java.util.Timer",
            "java.util.TimerTask");

    /** Methods that use the default locale unless they are given another one. */
    private static final Map<String, Set<String>> LOCALIZED = Map.of(
            "java.lang.String", Set.of("format", "formatted", "toLowerCase", "toUpperCase"),
            "java.io.PrintStream", Set.of("format", "printf"),
            "java.io.PrintWriter", Set.of("format", "printf"));

    private Rules() {}

    static final ArchRule EVERY_CLASS_HAS_A_MODULE = classes()
            .should()
            .resideInAnyPackage(Arrays.stream(JwarpModule.values())
                    .map(JwarpModule::packages)
                    .toArray(String[]::new))
            .because("a package of jwarp belongs to a module of ARCHITECTURE.md (and to a line of JwarpModule)");

    /** {@return the rule that {@code module} uses only what {@link JwarpModule} lets it use} */
    static ArchRule dependenciesOf(JwarpModule module) {
        return noClasses()
                .that()
                .resideInAPackage(module.packages())
                .and()
                .resideOutsideOfPackages(module.others())
                .should()
                .dependOnClassesThat(not(resideInAnyPackage(module.allowedPackages()))
                        .or(resideInAnyPackage(module.notMeant()))
                        .and(not(describe(
                                "primitive", type -> type.getBaseComponentType().isPrimitive()))))
                .because(module.folder + " may depend only on what ARCHITECTURE.md draws");
    }

    static final ArchRule NETTY_STAYS_IN_ITS_DRIVERS = noClasses()
            .that()
            .resideOutsideOfPackage("dev.jwarp..netty..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.netty.."))
            .because("Netty is used only in packages that end in .netty");

    static final ArchRule SOCKETS_ONLY_IN_DRIVERS = outsideOfDrivers(
                    dependencyOn("sockets and channels", Rules::isSocketOrChannel))
            .because(
                    "sockets and channels are for the driver packages, rnic.progress, rnic.stat, messaging, sockets, adapters, conformance, tools and torture");

    static final ArchRule THREADS_ONLY_IN_DRIVERS = outsideOfDrivers(
                    dependencyOn("threads and what parks them", Rules::isThreading))
            .because(
                    "threads, executors and locks are for the driver packages, rnic.progress, rnic.stat, messaging, sockets, adapters, conformance, tools and torture");

    static final ArchRule FUTURES_ONLY_IN_THEIR_LAYER = noClasses()
            .that()
            .resideOutsideOfPackages(DRIVERS)
            .and()
            .resideOutsideOfPackage("dev.jwarp.verbs.async..")
            .should()
            .dependOnClassesThat(dependencyOn("futures", Rules::isFuture))
            .because("the verbs report to queues; futures are a layer of their own above them, verbs.async");

    static final ArchRule WAITING_ONLY_IN_DRIVERS = noClasses()
            .that()
            .resideOutsideOfPackages(DRIVERS)
            .should()
            .accessTargetWhere(describe("waits", Rules::waits))
            .because(
                    "waiting is for the driver packages, rnic.progress, rnic.stat, messaging, sockets, adapters, conformance, tools and torture");

    static final ArchRule CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS = outsideOfDrivers(
                    dependencyOn("clocks", type -> CLOCKS.contains(type.getFullName())))
            .because(
                    "time is passed in (long nowNanos); clocks are for the driver packages, rnic.progress, rnic.stat, messaging, sockets, adapters, conformance, tools and torture");

    static final ArchRule TIME_IS_NOT_READ_OUTSIDE_DRIVERS = noClasses()
            .that()
            .resideOutsideOfPackages(DRIVERS)
            .should()
            .accessTargetWhere(describe("reads a clock", Rules::readsClock))
            .because(
                    "time is passed in (long nowNanos); clocks are for the driver packages, rnic.progress, rnic.stat, messaging, sockets, adapters, conformance, tools and torture");

    static final ArchRule THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE = noClasses()
            .that()
            .resideOutsideOfPackages("dev.jwarp.conformance..", "dev.jwarp.tools..", "dev.jwarp.torture..")
            .should()
            .accessTargetWhere(describe("uses the default locale", Rules::speaksUsersLanguage))
            .because(
                    "output must not depend on the default locale: pass Locale.ROOT (the commands set it for themselves)");

    static final ArchRule METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS = noCodeUnits()
            .that()
            .areDeclaredInClassesThat(
                    resideOutsideOfPackages("dev.jwarp.conformance..", "dev.jwarp.tools..", "dev.jwarp.torture.."))
            .should(beWith(
                    "more than " + MOST_PARAMETERS + " parameters", unit -> ownParameters(unit) > MOST_PARAMETERS))
            .because("values that layers pass on together belong into one object");

    /**
     * {@return number of parameters in the source; 0 where these are the components of a record, or the columns of an
     * enum's table}
     */
    private static int ownParameters(JavaCodeUnit unit) {
        JavaClass owner = unit.getOwner();
        int all = unit.getRawParameterTypes().size();
        if (unit.getModifiers().contains(JavaModifier.SYNTHETIC)) {
            return 0;
        }
        if (!unit.isConstructor()) {
            return all;
        }
        if (owner.isRecord() || owner.isEnum() || owner.isAnonymousClass() || owner.isLocalClass()) {
            return 0;
        }
        boolean inner = owner.isMemberClass() && !owner.getModifiers().contains(JavaModifier.STATIC);
        return inner ? all - 1 : all; // the compiler adds the enclosing object
    }

    private static ArchCondition<JavaCodeUnit> beWith(
            String description, java.util.function.Predicate<JavaCodeUnit> found) {
        return new ArchCondition<>("have " + description) {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                events.add(new SimpleConditionEvent(
                        unit, found.test(unit), unit.getDescription() + " has " + description));
            }
        };
    }

    private static ArchRule outsideOfDrivers(DescribedPredicate<JavaClass> banned) {
        return noClasses().that().resideOutsideOfPackages(DRIVERS).should().dependOnClassesThat(banned);
    }

    private static DescribedPredicate<JavaClass> dependencyOn(
            String description, java.util.function.Predicate<JavaClass> banned) {
        return describe(description, type -> banned.test(type.getBaseComponentType()));
    }

    private static boolean isSocketOrChannel(JavaClass type) {
        String outermost = outermostName(type);
        boolean handedThrough = Set.of("java.nio.channels.Selector", "java.nio.channels.SelectionKey")
                .contains(type.getName()); // objects of the program, passed through to a driver
        if (type.isAssignableTo(Throwable.class)) {
            return false; // describes an error, and does no I/O
        }
        return (type.getPackageName().startsWith("java.nio.channels") && !handedThrough)
                || type.getPackageName().startsWith("javax.net")
                || (type.getPackageName().equals("java.net")
                        && outermost.contains("Socket")
                        && !outermost.endsWith("SocketAddress"));
    }

    private static boolean isFuture(JavaClass type) {
        return outermostName(type).equals("CompletableFuture")
                && type.getPackageName().equals("java.util.concurrent");
    }

    private static boolean isThreading(JavaClass type) {
        String outermost = outermostName(type);
        return switch (type.getPackageName()) {
            case "java.lang" -> outermost.equals("Thread") || outermost.equals("ThreadGroup");
            case "java.util.concurrent" -> !WAIT_FREE.contains(outermost) && !isFuture(type);
            case "java.util.concurrent.locks" -> true;
            default -> false;
        };
    }

    private static boolean waits(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getFullName();
        String name = access.getTarget().getName();
        return (name.equals("wait") && access.getTargetOwner().isAssignableTo(Object.class) && isObjectMethod(access))
                || (owner.equals("java.util.concurrent.TimeUnit")
                        && Set.of("sleep", "timedWait", "timedJoin").contains(name));
    }

    /** {@return whether the called method is Object's own: no class between declares one of this name and signature} */
    private static boolean isObjectMethod(JavaAccess<?> access) {
        return access.getTarget()
                .resolveMember()
                .map(member -> member.getOwner().isEquivalentTo(Object.class))
                .orElse(true);
    }

    private static boolean readsClock(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getFullName();
        String name = access.getTarget().getName();
        return (owner.equals("java.lang.System")
                        && Set.of("nanoTime", "currentTimeMillis").contains(name))
                || (owner.startsWith("java.time.") && name.equals("now"));
    }

    private static boolean speaksUsersLanguage(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getFullName();
        Set<String> names = LOCALIZED.getOrDefault(owner, Set.of());
        return names.contains(access.getTarget().getName())
                && access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream().noneMatch(type -> type.isEquivalentTo(Locale.class));
    }

    /** {@return the name without its package; for a nested class that of the outermost class} */
    private static String outermostName(JavaClass type) {
        String nested = type.getFullName().substring(type.getFullName().lastIndexOf('.') + 1);
        return nested.contains("$") ? nested.substring(0, nested.indexOf('$')) : nested;
    }
}
