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

/** A process that can open few files more makes a group of event loops. */
final class FewFiles {
    private FewFiles() {}

    /** Prints what the group says. */
    public static void main(String[] arguments) throws Exception {
        EventLoopGroup first = group(1);
        first.schedule(() -> {}, 1, TimeUnit.MILLISECONDS)
                .sync(); // all classes are read, also those that a loop needs to wait,
        RdmaErrorCode.LIMIT_REACHED.name(); // and that of what fails
        first.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        Deque<Closeable> all = new ArrayDeque<>();
        try {
            while (true) {
                all.push(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            // Each loop takes two, and one more for a moment while it is made.
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
