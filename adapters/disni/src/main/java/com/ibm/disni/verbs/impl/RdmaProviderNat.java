package com.ibm.disni.verbs.impl;

import dev.jwarp.disni.JwarpProvider;

/**
 * Replaces DiSNI's class of the same name, of which DiSNI creates its provider: the first jar on the class path wins.
 * DiSNI's class needs the native library {@code libdisni}; this one needs none.
 */
public final class RdmaProviderNat extends JwarpProvider {
    /** Called by DiSNI, once. */
    public RdmaProviderNat() {}
}
