/**
 * Datagram-iWARP in the tester: its own codecs, UDP conversations and reliable channels, from docs/datagram-iwarp.md
 * alone.
 */
@NullMarked
package dev.jwarp.conformance.datagram;

import org.jspecify.annotations.NullMarked;
