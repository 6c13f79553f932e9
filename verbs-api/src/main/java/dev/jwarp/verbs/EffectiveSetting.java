package dev.jwarp.verbs;

/**
 * A setting with the value that counts.
 *
 * @param setting the key with its description
 * @param value the value that counts, as text; the name of the transport where the setting is {@code auto}
 * @param source where the value comes from
 */
public record EffectiveSetting(Setting setting, String value, Source source) {
    /** Where a value comes from; a later one of this list wins. */
    public enum Source {
        /** It was not set. */
        DEFAULT,
        /** An environment variable. */
        ENVIRONMENT,
        /** A system property of the JVM. */
        PROPERTY,
        /** The map given to {@link Device#open(java.util.Map)}; a tool puts its flags there. */
        EXPLICIT
    }
}
