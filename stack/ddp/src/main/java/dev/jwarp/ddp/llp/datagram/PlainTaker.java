package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.nio.ByteBuffer;

/** Takes plain datagrams of UDP, which came to a port and are none of datagram-iWARP. */
public interface PlainTaker {
    /**
     * One has come. Owner thread; must not block, nor call the port.
     *
     * @param in big-endian; position and limit mean nothing; valid during the call only, not to be written
     * @param offset index of its first octet
     * @param length octets
     * @param source where it came from; valid during the call only
     */
    void plain(ByteBuffer in, int offset, int length, DatagramAddress source);
}
