package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import dev.jwarp.verbs.ProtectionDomain;
import java.io.IOException;

/** A protection domain. */
final class JwarpPd extends IbvPd {
    final ProtectionDomain domain;

    JwarpPd(IbvContext context, ProtectionDomain domain) throws IOException {
        super(context);
        this.domain = domain;
        handle = domain.handle();
    }
}
