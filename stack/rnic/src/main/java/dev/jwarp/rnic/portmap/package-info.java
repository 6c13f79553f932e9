/**
 * The iWARP port mapper's messages between hosts, how one side asks and how the other one answers; without sockets and clocks. What
 * they look like: docs/port-mapper.md. Internal.
 */
@NullMarked
package dev.jwarp.rnic.portmap;

import org.jspecify.annotations.NullMarked;
