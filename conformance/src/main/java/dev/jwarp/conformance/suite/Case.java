package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.script.Role;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a method as a case: it takes one {@link Trial}, or a {@code DatagramTrial}. Its id is the first requirement, its own name and the device's role. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Case {
    /**
     * Ids of the requirements that the case tests, set apart by blanks, then a colon, a blank, and what it shows as a sentence about the device:
     * {@code "MPA-4.4-2 MPA-4.4-3: computes CRC32C over length, ULPDU and pad"}. The first requirement gives the case its id.
     */
    String value();

    /** The roles of the device under test in which it makes sense. */
    Role[] device() default {Role.INITIATOR, Role.RESPONDER};

    /**
     * Ids of requirements, set apart by blanks, that a device must keep for this case to tell anything about its own. Where the case fails and the
     * device breaks one of them, the case is inconclusive because of that one.
     */
    String after() default "";

    /** What the program above the device must be able to do. */
    Ability[] needs() default {};

    /** What all cases of a group need beside what each needs. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Needs {
        Ability[] value();
    }
}
