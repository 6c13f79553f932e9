package dev.jwarp.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.stream.Stream;

/** Classes that implement an interface by calling the same methods of another object. */
final class Delegators {
    private Delegators() {}

    /**
     * A delegator that inherits a default method does not call the other object: the other object's override is lost,
     * and no test fails. A default method that calls methods of its own interface, or passes its own object on, works
     * through delegated methods.
     */
    static final ArchRule OVERRIDE_DEFAULT_METHODS = classes()
            .should(new ArchCondition<>("override the default methods of an interface whose methods they delegate") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    type.getAllRawInterfaces().stream()
                            .filter(of -> of.getPackageName().startsWith("dev.jwarp") && delegates(type, of))
                            .flatMap(of -> of.getMethods().stream())
                            .filter(method -> isDefault(method) && !restsOnOthers(method) && !isDecided(method, type))
                            .forEach(method -> events.add(SimpleConditionEvent.violated(
                                    method, type.getFullName() + " leaves " + method.getFullName() + " as it is")));
                }
            })
            .because(
                    "the override of the other object is lost: let each method call the same method of the other object");

    private static boolean delegates(JavaClass type, JavaClass of) {
        return type.getMethods().stream()
                .filter(method -> declares(of, method))
                .anyMatch(method -> method.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> isSame(call, method) && isToAnother(call.getTargetOwner(), type, of)));
    }

    private static boolean isSame(JavaMethodCall call, JavaMethod method) {
        return call.getTarget().getName().equals(method.getName())
                && call.getTarget().getRawParameterTypes().equals(method.getRawParameterTypes());
    }

    /** Not the method of a superclass. */
    private static boolean isToAnother(JavaClass owner, JavaClass type, JavaClass of) {
        return owner.isAssignableTo(of.getFullName())
                && (owner.isInterface() || !type.isAssignableTo(owner.getFullName()));
    }

    private static boolean isDefault(JavaMethod method) {
        return Stream.of(JavaModifier.ABSTRACT, JavaModifier.STATIC, JavaModifier.PRIVATE, JavaModifier.SYNTHETIC)
                .noneMatch(method.getModifiers()::contains);
    }

    private static boolean restsOnOthers(JavaMethod method) {
        JavaClass of = method.getOwner();
        return method.getCallsFromSelf().stream()
                .flatMap(call -> Stream.concat(
                        Stream.of(call.getTargetOwner()), call.getTarget().getRawParameterTypes().stream()))
                .anyMatch(used -> !used.isEquivalentTo(Object.class) && of.isAssignableTo(used.getFullName()));
    }

    /** The class, one above it or a narrower interface overrides it. */
    private static boolean isDecided(JavaMethod method, JavaClass type) {
        return Stream.concat(type.getClassHierarchy().stream(), type.getAllRawInterfaces().stream())
                .anyMatch(at -> !at.equals(method.getOwner())
                        && at.isAssignableTo(method.getOwner().getFullName())
                        && declares(at, method));
    }

    private static boolean declares(JavaClass type, JavaMethod method) {
        return type.getMethods().stream()
                .anyMatch(own -> own.getName().equals(method.getName())
                        && own.getRawParameterTypes().equals(method.getRawParameterTypes()));
    }
}
