package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;

/** Checks the version of DiSNI. */
final class DisniVersion {
    static final String OTHER =
            "This DiSNI is not version 2.1 of com.ibm.disni:disni, which jwarp-disni needs. Use that version.";

    private DisniVersion() {}

    /**
     * Throws if DiSNI is not version 2.1. Other versions have other signatures, which would fail in the middle of a
     * call.
     */
    static void check() {
        try {
            RdmaCm.class.getMethod("accept", RdmaCmId.class, RdmaConnParam.class);
            IbvPd.class.getMethod("regMr", long.class, int.class, int.class);
        } catch (NoSuchMethodException | NoClassDefFoundError e) { // the packages of DiSNI 1 have other names
            throw new IllegalStateException(OTHER, e);
        }
    }
}
