package dev.jwarp.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Classes that limit something, as their code shows: they make a bounded pool or queue, they accept connections, or
 * they have a constant whose name says that it is a limit. The limits, and the share of each peer, are on {@link
 * LimitsPage}.
 */
final class Bounds {
    /** Classes whose instances have a limit or accept connections. */
    private static final Set<String> POOLS = Set.of(
            "dev.jwarp.base.Rate",
            "dev.jwarp.base.Shares",
            "io.netty.bootstrap.ServerBootstrap",
            "java.util.concurrent.ArrayBlockingQueue",
            "java.util.concurrent.LinkedBlockingDeque",
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.Semaphore",
            "java.util.concurrent.ThreadPoolExecutor");

    /** Methods that accept connections or make a bounded pool. */
    private static final Map<String, String> DOORS = Map.of(
            "java.net.ServerSocket", "accept",
            "java.nio.channels.ServerSocketChannel", "accept",
            "dev.jwarp.verbs.CmId", "listen",
            "java.util.concurrent.Executors", "newFixedThreadPool");

    private static final Pattern LIMIT = Pattern.compile("MOST|MOST_.*|AT_A_TIME|KEPT|PLACES");

    private Bounds() {}

    /** {@return the rule that every limit is on that page} */
    static ArchRule areOn(LimitsPage page) {
        Set<String> named = page.named();
        return noClasses()
                .that(resideOutsideOfPackages(
                        "dev.jwarp.base..", // the building blocks of limits
                        "dev.jwarp.conformance..", // a tester, which is no server
                        "dev.jwarp.torture..",
                        "dev.jwarp.benchmarks..",
                        "dev.jwarp.vectors..",
                        "dev.jwarp.tools.cli..", // these commands are no servers
                        "dev.jwarp.tools.decode..",
                        "dev.jwarp.tools.demo..",
                        "dev.jwarp.tools.devinfo..",
                        "dev.jwarp.tools.loss..",
                        "dev.jwarp.tools.study..",
                        "dev.jwarp..sim.."))
                .should(ArchCondition.from(describe(
                        "have a limit that is not on the page of limits",
                        type -> boundsSomething(type) && !named.contains(name(type)))))
                .because("what is limited has a row in docs/limits.md, with the share that one source address may have,"
                        + " or one under 'What is no limit of peers', with the reason");
    }

    private static boolean boundsSomething(JavaClass type) {
        return type.getConstructorCallsFromSelf().stream().anyMatch(call -> isPool(call.getTargetOwner()))
                || type.getConstructorReferencesFromSelf().stream().anyMatch(made -> isPool(made.getTargetOwner()))
                || type.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> isDoor(call.getTargetOwner(), call.getName()))
                || type.getFields().stream().anyMatch(Bounds::isLimit);
    }

    private static boolean isPool(JavaClass made) {
        return POOLS.stream().anyMatch(made::isAssignableTo)
                || made.getPackageName().startsWith("org.jctools");
    }

    private static boolean isDoor(JavaClass owner, String method) {
        return DOORS.entrySet().stream()
                .anyMatch(door -> method.equals(door.getValue()) && owner.isAssignableTo(door.getKey()));
    }

    private static boolean isLimit(JavaField field) {
        return field.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.FINAL))
                && field.getRawType().isPrimitive()
                && LIMIT.matcher(field.getName()).matches();
    }

    /** {@return the simple name of the outermost class} */
    private static String name(JavaClass type) {
        return type.getEnclosingClass().map(Bounds::name).orElseGet(type::getSimpleName);
    }
}
