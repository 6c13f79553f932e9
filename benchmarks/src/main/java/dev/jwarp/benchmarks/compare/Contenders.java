package dev.jwarp.benchmarks.compare;

import dev.jwarp.tools.traffic.TrafficLoad.Operation;

/** The contenders in Java, by name. */
final class Contenders {
    private Contenders() {}

    static Contender open(String name, Arguments arguments) throws Exception {
        return switch (name) {
            case "nio-echo" -> new NioEcho(arguments);
            case "nio-stream" -> new NioTcpStream(arguments);
            case "socket-echo" -> new SocketEcho(arguments);
            case "socket-stream" -> new SocketStream(arguments);
            case "datagram-echo" -> new DatagramEcho(arguments);
            case "datagram-stream" -> new DatagramStream(arguments);
            case "nio-datagrams" -> new NioDatagrams();
            case "netty-echo" -> new NettyEcho(arguments);
            case "netty-stream" -> new NettyTcpStream(arguments);
            case "netty-datagrams" -> new NettyDatagrams(arguments);
            case "composed-datagrams" -> new ComposedDatagrams(arguments);
            case "netty-many" -> new NettyMany(arguments);
            case "jucx-echo" -> new JucxEcho(arguments);
            case "aeron-echo" -> new AeronEcho(arguments, false);
            case "aeron-stream" -> new AeronEcho(arguments, true);
            case "messages" -> new MessageEcho(arguments);
            case "http" -> new HttpGet(arguments);
            case "version" -> new VersionCheck(arguments);
            case "jwarp-stream" -> new Jwarp(arguments, Operation.WRITE, false, false);
            case "jwarp-pingpong" -> new Jwarp(arguments, Operation.SEND, true, false);
            case "jwarp-handlers" -> new HandlerEcho(arguments);
            case "jwarp-atomic" -> new Jwarp(arguments, Operation.FETCH_AND_ADD, true, false);
            case "jwarp-datagrams" -> new Jwarp(arguments, Operation.SEND, arguments.is("latency", "yes"), true);
            case "jwarp-first" -> new FirstMessages(arguments);
            case "jwarp-many" -> new VerbsMany(arguments);
            case "plain-verbs" -> new PlainVerbs(arguments);
            case "calls" -> new RemoteCalls(arguments);
            case "jwarp-threads" -> new ThreadedMany(arguments);
            default -> throw new IllegalArgumentException("no contender " + name);
        };
    }
}
