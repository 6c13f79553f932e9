/** The network of this host as the JDK and the system report it: interfaces, addresses, providers of channels. */
@NullMarked
package dev.jwarp.llp.nio;

import org.jspecify.annotations.NullMarked;
