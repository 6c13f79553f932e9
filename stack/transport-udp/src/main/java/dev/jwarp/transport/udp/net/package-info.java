/** What the drivers have in common. */
@NullMarked
package dev.jwarp.transport.udp.net;

import org.jspecify.annotations.NullMarked;
