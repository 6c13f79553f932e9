package dev.jwarp.verbs;

/**
 * A setting with its effective value.
 *
 * @param setting the setting
 * @param value effective value as text; the name of the chosen transport if the setting is {@code auto}
 * @param source source of the value
 */
public record EffectiveSetting(Setting setting, String value, Source source) {
    /** The source of a value, in ascending precedence. */
    public enum Source {
        /** The default of the setting. */
        DEFAULT,
        /** An environment variable. */
        ENVIRONMENT,
        /** A system property of the JVM. */
        PROPERTY,
        /** The map given to {@link Device#open(java.util.Map)}; a tool puts its flags there. */
        EXPLICIT
    }
}
