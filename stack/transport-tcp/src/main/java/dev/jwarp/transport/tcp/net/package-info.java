/** What both drivers know of the network: path sizes, and the meaning of failures to connect. */
@NullMarked
package dev.jwarp.transport.tcp.net;

import org.jspecify.annotations.NullMarked;
