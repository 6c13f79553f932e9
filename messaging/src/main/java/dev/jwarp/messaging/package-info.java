/**
 * Messages by service id: a program sends to "service 7", and {@link dev.jwarp.messaging.MessageEndpoint} finds the
 * service, connects, and carries the message over connections (RC) or datagrams (UD, RD). Short messages are copied and
 * sent at once; long messages move by RDMA and arrive whole or not at all.
 */
@NullMarked
package dev.jwarp.messaging;

import org.jspecify.annotations.NullMarked;
