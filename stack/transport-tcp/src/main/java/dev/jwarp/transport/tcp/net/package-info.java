/** What both drivers need to know of the network: path sizes, and what a failure to connect means. */
@NullMarked
package dev.jwarp.transport.tcp.net;

import org.jspecify.annotations.NullMarked;
