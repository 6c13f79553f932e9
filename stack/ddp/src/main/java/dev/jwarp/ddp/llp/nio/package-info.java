/** What the JDK and the system tell of this host's network: its interfaces, its addresses, where channels come from. */
@NullMarked
package dev.jwarp.ddp.llp.nio;

import org.jspecify.annotations.NullMarked;
