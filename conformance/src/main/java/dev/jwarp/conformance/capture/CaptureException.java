package dev.jwarp.conformance.capture;

import java.io.IOException;

/** The file is no capture, or is damaged. The message is a sentence for the user. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean capture;

    CaptureException(boolean capture, String sentence) {
        super(sentence);
        this.capture = capture;
    }

    /** Whether the file is a capture, though a damaged one. The frames before the damage are good. */
    public boolean damaged() {
        return capture;
    }
}
