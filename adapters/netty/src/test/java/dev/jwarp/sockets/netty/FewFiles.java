package dev.jwarp.sockets.netty;

import dev.jwarp.verbs.RdmaErrorCode;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** Creates a group of event loops in a process that can open few further files. */
final class FewFiles {
    private FewFiles() {}

    /** Prints the failure. */
    public static void main(String[] arguments) throws Exception {
        EventLoopGroup first = group(1);
        first.schedule(() -> {}, 1, TimeUnit.MILLISECONDS)
                .sync(); // loads all classes, also those that a loop needs to wait,
        RdmaErrorCode.LIMIT_REACHED.name(); // and that of the failure
        first.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        Deque<Closeable> all = new ArrayDeque<>();
        try {
            while (true) {
                all.push(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            // Each loop takes two files, and temporarily a third while it is created.
            for (int i = 0; i < 7; i++) {
                all.pop().close();
            }
        }
        try {
            group(9);
        } catch (IllegalStateException e) {
            e.printStackTrace(System.out);
        }
        System.exit(0);
    }

    private static EventLoopGroup group(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, JwarpIoHandler.newFactory());
    }
}
