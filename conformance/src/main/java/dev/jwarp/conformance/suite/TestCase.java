package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Role;
import java.util.List;
import java.util.Locale;

/**
 * One case in one role of the device.
 *
 * @param id stable, such as {@code MPA-4.4-7:swapped-crc@responder}
 * @param requirements the requirements that it tests; the first is its own
 * @param title what it shows
 * @param device the device's role
 * @param after ids of requirements that a device must keep for the case to show anything
 * @param needs what the program above the device must be able to do
 * @param body what is done
 */
public record TestCase(
        String id,
        List<Requirement> requirements,
        String title,
        Role device,
        List<String> after,
        List<Ability> needs,
        Body body) {
    /** The steps of a case; throws what the attempt and its conversations throw. */
    @FunctionalInterface
    public interface Body {
        void run(Attempt attempt) throws Exception;
    }

    /** Whether the case tests this requirement, as its own or as a further one. */
    public boolean tests(String requirement) {
        return requirements.stream().anyMatch(r -> r.id().equals(requirement));
    }

    /** The case's own requirement. */
    public Requirement requirement() {
        return requirements.get(0);
    }

    /**
     * Whether a filter names the case. A filter is a case, a requirement, an address such as {@code rfc5044/7.1.1/13},
     * a section, a document, or the start of an id that ends at a dash.
     */
    public boolean matches(String filter) {
        String wanted = filter.toLowerCase(Locale.ROOT);
        if (id.toLowerCase(Locale.ROOT).equals(wanted) || within(id.toLowerCase(Locale.ROOT), wanted, "-.:@")) {
            return true;
        }
        for (Requirement r : requirements) {
            String own = r.id().toLowerCase(Locale.ROOT);
            if (own.equals(wanted) || r.address().equals(wanted) || within(r.address(), wanted, "/.")) {
                return true;
            }
        }
        return false;
    }

    private static boolean within(String whole, String start, String ends) {
        return whole.startsWith(start)
                && whole.length() > start.length()
                && ends.indexOf(whole.charAt(start.length())) >= 0;
    }
}
