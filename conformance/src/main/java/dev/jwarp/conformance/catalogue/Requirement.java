package dev.jwarp.conformance.catalogue;

import java.util.Locale;

/**
 * One requirement.
 *
 * @param id stable, such as {@code MPA-7.1.1-13}; never given to another requirement
 * @param document {@code rfc5044}, or {@code datagram} for docs/datagram-iwarp.md
 * @param sections as in the document; several are set apart by commas. Sections of the extensions of datagram-iWARP
 *     begin with a letter, such as {@code K.2}
 * @param strength how binding the requirement is
 * @param text the requirement in our own words
 * @param role the end that it binds: initiator, responder, sender, receiver, both; or {@code user}, who runs the
 *     network or writes the
 *     program: such a requirement does not bind a device
 * @param provoked how a tester provokes the behaviour
 * @param expected what the tester must then observe
 */
public record Requirement(
        String id,
        String document,
        String sections,
        Strength strength,
        String text,
        String role,
        String provoked,
        String expected) {

    /** The address of the requirement on a command line, such as {@code rfc5044/7.1.1/13}. */
    public String address() {
        int first = id.indexOf('-');
        int last = id.lastIndexOf('-');
        return document + "/" + id.substring(first + 1, last).toLowerCase(Locale.ROOT) + "/" + id.substring(last + 1);
    }

    /** The source of the requirement, such as {@code RFC 5044 §7.1.1}. */
    public String source() {
        String name = document.startsWith("rfc")
                ? document.replace("rfc", "RFC ")
                : document.substring(0, 1).toUpperCase(Locale.ROOT) + document.substring(1) + "-iWARP";
        return name + " §" + sections;
    }

    /** The strength of a requirement (RFC 2119). */
    public enum Strength {
        MUST,
        MUST_NOT,
        SHOULD,
        SHOULD_NOT,
        MAY;

        static Strength of(String words) {
            return valueOf(words.trim().replace(' ', '_'));
        }

        /** Whether the requirement is a MUST or MUST NOT: a device that breaks it does not conform. */
        public boolean binding() {
            return this == MUST || this == MUST_NOT;
        }

        /** The words of RFC 2119. */
        public String words() {
            return name().replace('_', ' ');
        }
    }
}
