/**
 * The protocol of the iWARP port mapper: messages, question and answer, without sockets and clocks. See
 * docs/port-mapper.md. Internal.
 */
@NullMarked
package dev.jwarp.rnic.portmap;

import org.jspecify.annotations.NullMarked;
