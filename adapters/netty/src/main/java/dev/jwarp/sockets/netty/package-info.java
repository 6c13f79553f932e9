/** A transport of Netty above the verbs. */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.netty;
