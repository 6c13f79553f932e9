package com.ibm.disni.verbs.impl;

import dev.jwarp.disni.JwarpProvider;

/**
 * The class that DiSNI makes its provider of, in place of DiSNI's own of that name: the jar that comes first on the class path gives it. DiSNI's own needs the native library {@code
 * libdisni}, this one needs none.
 */
public final class RdmaProviderNat extends JwarpProvider {
    /** Makes it. DiSNI does, once. */
    public RdmaProviderNat() {}
}
