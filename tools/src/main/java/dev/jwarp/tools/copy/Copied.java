package dev.jwarp.tools.copy;

/** What was copied. The names are those of the JSON document. */
final class Copied {
    public long files;
    public long folders;
    /** That went now; those that were there before are not in it. */
    public long bytes;
    /** Files of which a part was there. */
    public long resumed;

    /** Neither files nor folders, and parts of other copies. */
    public long leftOut;
    /** Files and folders that could not be read, or changed meanwhile. */
    public long failed;

    public long nanos;
}
