package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.script.Role;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method as a case: the method takes one {@link Trial}, or a {@code DatagramTrial}. The case's id is its first
 * requirement, the name of the method and the device's role.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Case {
    /**
     * Ids of the requirements that the case tests, separated by blanks, then a colon, a blank, and a sentence about the
     * device: {@code "MPA-4.4-2 MPA-4.4-3: computes CRC32C over length, ULPDU and pad"}. The first requirement gives
     * the case its id.
     */
    String value();

    /** The roles of the device under test in which the case makes sense. */
    Role[] device() default {Role.INITIATOR, Role.RESPONDER};

    /**
     * Ids of requirements, separated by blanks, that a device must keep for this case to show anything. If the case
     * fails and the device breaks one of them, the case is inconclusive because of that requirement.
     */
    String after() default "";

    /** What the program above the device must be able to do. */
    Ability[] needs() default {};

    /** Needs of all cases of a group, in addition to the needs of each case. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Needs {
        Ability[] value();
    }
}
