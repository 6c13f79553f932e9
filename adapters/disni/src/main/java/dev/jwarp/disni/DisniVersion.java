package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;

/** Whether DiSNI is the version that this package is made for. */
final class DisniVersion {
    static final String OTHER =
            "This DiSNI is another one than version 2.1 of com.ibm.disni:disni, which jwarp-disni is made for. Use that version.";

    private DisniVersion() {}

    /** Throws if it is not. Versions differ in signatures, and the next difference would be an error of the JVM in the middle of a call. */
    static void check() {
        try {
            RdmaCm.class.getMethod("accept", RdmaCmId.class, RdmaConnParam.class);
            IbvPd.class.getMethod("regMr", long.class, int.class, int.class);
        } catch (NoSuchMethodException | NoClassDefFoundError e) { // the packages of DiSNI 1 have other names
            throw new IllegalStateException(OTHER, e);
        }
    }
}
