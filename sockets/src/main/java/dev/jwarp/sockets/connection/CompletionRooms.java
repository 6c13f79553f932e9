package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import java.util.ArrayList;
import java.util.List;

/** Completion queues that streams share: each has room for the work requests of some. Queues are made as they are needed, and stay. Any thread. */
final class CompletionRooms {
    /** Streams that share one queue. */
    private static final int STREAMS = 64;

    private final Context context;
    private final CompletionHandler handler;

    /** Guarded by this. */
    private final List<Room> rooms = new ArrayList<>();

    CompletionRooms(Context context, CompletionHandler handler) {
        this.context = context;
        this.handler = handler;
    }

    /** A queue, and how many streams report to it. */
    static final class Room {
        final CompletionQueue queue;
        private int users;

        Room(CompletionQueue queue) {
            this.queue = queue;
        }
    }

    /** {@return a room with a place for a stream; to be given back by {@link #leave}} */
    synchronized Room enter() {
        for (Room room : rooms) {
            if (room.users < STREAMS) {
                room.users++;
                return room;
            }
        }
        CompletionQueue queue = context.createCompletionQueue(STREAMS * StreamQueuePair.entries());
        queue.onCompletion(handler);
        Room room = new Room(queue);
        room.users = 1;
        rooms.add(room);
        return room;
    }

    /** The queue pair of a stream is closed. */
    synchronized void leave(Room room) {
        room.users--;
    }
}
