package dev.jwarp.verbs;

/**
 * One configuration key. The same setting is the system property {@code key} and the environment variable of the same
 * words in capitals with underscores: {@code jwarp.mpa.crc} is {@code JWARP_MPA_CRC}.
 *
 * @param key such as {@code jwarp.mpa.crc}
 * @param defaultValue as text
 * @param allowed what values it takes, in words, with the unit
 * @param sentence what it does
 */
public record Setting(String key, String defaultValue, String allowed, String sentence) {
    /** {@return the environment variable of this setting} */
    public String environmentVariable() {
        return key.toUpperCase(java.util.Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
