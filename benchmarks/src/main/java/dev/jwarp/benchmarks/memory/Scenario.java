package dev.jwarp.benchmarks.memory;

import dev.jwarp.verbs.ConnectionParameters;

/** The state of all peers when memory is measured. */
public enum Scenario {
    UD_SILENT("UD: peer that sent a Write-Record that has ended", false, false, false),
    UD_HANDLE("UD: peer with an address handle, all at one address", false, false, false),
    UD_HANDLE_APART("UD: the same, each at an address of its own", false, false, false),
    UD_RECORD("UD: peer whose Write-Record waits in the completion queue", false, false, false),
    RD_IDLE("RD: idle channel that the peer opened", false, true, false),
    RD_HANDLE("RD: idle channel that we opened, with its address handle", false, true, true),
    RD_FLIGHT("RD: the same with Sends under way that are not acknowledged", false, true, true),
    RC_IDLE("RC: idle connection, 16 receives posted, read depth as usual", true, false, false),
    RC_LEAN("RC: the same with a read depth of 1", true, false, false);

    final String title;
    final boolean connected;
    final boolean reliable;
    /** Whether the measured end sends first. */
    final boolean weSend;

    Scenario(String title, boolean connected, boolean reliable, boolean weSend) {
        this.title = title;
        this.connected = connected;
        this.reliable = reliable;
        this.weSend = weSend;
    }

    /** {@return whether it needs only handles, and no peers} */
    public boolean handlesAlone() {
        return this == UD_HANDLE || this == UD_HANDLE_APART;
    }

    /** {@return the parameters of the connections} */
    ConnectionParameters connection() {
        return this == RC_LEAN
                ? ConnectionParameters.DEFAULT.withInitiatorDepth(1).withResponderResources(1)
                : ConnectionParameters.DEFAULT;
    }
}
