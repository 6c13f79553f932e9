package dev.jwarp.ddp.llp;

import org.jspecify.annotations.Nullable;

/**
 * A library that a transport needs, and that the class path of a program may lack, or have in an older version.
 *
 * @param name of the library
 * @param version the oldest that will do
 * @param known a class that every version has
 * @param remedy what to do, as the end of a sentence
 */
public record NeededLibrary(String name, String version, String known, String remedy) {
    /**
     * {@return what to throw when a class of it cannot be linked}
     *
     * @param transport that needs it
     * @param beside a class whose loader should find the library, too
     * @param cause what the JVM says
     */
    public LlpException missing(String transport, Class<?> beside, LinkageError cause) {
        String found = versionFound(beside.getClassLoader());
        return new LlpException(
                LlpFailure.LIBRARY_MISSING,
                "The transport " + transport + " needs " + name + " " + version + " or newer, but the class path has "
                        + (found == null ? "no " + name : found) + ": " + remedy + ".",
                cause);
    }

    private @Nullable String versionFound(@Nullable ClassLoader loader) {
        try {
            Package at = Class.forName(known, false, loader).getPackage();
            String told = at == null ? null : at.getImplementationVersion();
            return told == null ? "another one" : name + " " + told;
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
