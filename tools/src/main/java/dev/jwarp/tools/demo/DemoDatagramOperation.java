package dev.jwarp.tools.demo;

/** The ways in which the demo moves its file over datagrams. */
enum DemoDatagramOperation {
    /** The end that has the file writes it, and the other is told what of it came. */
    WRITE_RECORD("Write-Record"),
    /** The end that wants the file reads it. */
    UD_READ("UD Read");

    private final String title;

    DemoDatagramOperation(String title) {
        this.title = title;
    }

    /** {@return the name for people} */
    String title() {
        return title;
    }
}
