package dev.jwarp.ddp.llp;

/**
 * One configuration key.
 *
 * @param key such as {@code jwarp.mpa.crc}
 * @param defaultValue as text
 * @param allowed what values it takes, in words, with the unit
 * @param sentence what it does
 */
public record SettingText(String key, String defaultValue, String allowed, String sentence) {}
