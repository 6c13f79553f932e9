package dev.jwarp.conformance.capture;

import java.io.IOException;

/** The file is no capture, or is damaged; the message is a sentence for its user. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean capture;

    CaptureException(boolean capture, String sentence) {
        super(sentence);
        this.capture = capture;
    }

    /** True if it is a capture, though a damaged one: what came before the damage is good. */
    public boolean damaged() {
        return capture;
    }
}
