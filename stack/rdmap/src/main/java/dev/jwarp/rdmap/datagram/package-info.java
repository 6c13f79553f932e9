/** RDMAP over datagrams: Sends, Writes, Write-Records and Reads without a connection (datagram-iWARP). */
@NullMarked
package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.NullMarked;
