package dev.jwarp.conformance.app;

/** A program was asked for what it cannot do: the case did not say that it needs it. A fault of the case, not of the device. */
final class Unable extends UnsupportedOperationException {
    private static final long serialVersionUID = 1;

    Unable(Application app, Ability ability) {
        super("the profile " + app.name() + " has not: " + ability.words());
    }
}
