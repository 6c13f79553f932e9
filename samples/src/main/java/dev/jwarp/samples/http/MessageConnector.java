package dev.jwarp.samples.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageBuffer;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * A connector of Jetty without sockets. A call is a request of HTTP/1.1, and the reply is its response: header and
 * content lie in one buffer of the endpoint's pool, and move by RDMA.
 */
public final class MessageConnector extends AbstractConnector {
    private static final Pattern CONTENT_LENGTH =
            Pattern.compile("\r\nContent-Length: *([0-9]{1,9})\r\n", Pattern.CASE_INSENSITIVE);

    private final MessageEndpoint endpoint;

    /**
     * Creates the connector.
     *
     * @param server gets the requests
     * @param endpoint the service; the connector becomes its handler when the server starts
     */
    public MessageConnector(Server server, MessageEndpoint endpoint) {
        super(server, null, null, null, 0, new HttpConnectionFactory());
        this.endpoint = endpoint;
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        endpoint.onMessage(this::requested);
    }

    /** No thread accepts: the endpoint calls {@link #requested}. */
    @Override
    protected void accept(int acceptor) {}

    @Override
    public Object getTransport() {
        return endpoint;
    }

    private void requested(Message call) {
        if (call.isCall()) {
            Exchange exchange = new Exchange(call.keep());
            getExecutor().execute(() -> begin(exchange));
        }
    }

    private void begin(Exchange exchange) {
        Connection connection = getDefaultConnectionFactory().newConnection(this, exchange);
        exchange.setConnection(connection);
        exchange.onOpen();
        onEndPointOpened(exchange);
        connection.onOpen();
    }

    /** One request and its response. */
    private final class Exchange extends AbstractEndPoint {
        private final Message call;
        private final int client;
        private final ByteBuffer request;
        private @Nullable MessageBuffer response;
        private boolean answered;

        Exchange(Message call) {
            super(MessageConnector.this.getScheduler());
            this.call = call;
            client = call.source();
            request = call.data();
            setIdleTimeout(0); // the whole request is here, and the call of the client has a deadline
        }

        @Override
        public int fill(ByteBuffer into) {
            int at = BufferUtil.flipToFill(into);
            int length = BufferUtil.put(request, into);
            BufferUtil.flipToFlush(into, at);
            return length == 0 && isInputShutdown() ? -1 : length;
        }

        /** The connection waits for another request: there is none, and the response is whole. */
        @Override
        protected void needsFillInterest() {
            if (request.hasRemaining()) {
                getExecutor().execute(() -> getFillInterest().fillable());
            } else {
                close();
            }
        }

        @Override
        public boolean flush(ByteBuffer... from) {
            long length = 0;
            for (ByteBuffer each : from) {
                length += each.remaining();
            }
            ByteBuffer to = room(length, from).data();
            for (ByteBuffer each : from) {
                to.put(each);
            }
            return true;
        }

        /** {@return the response, with room for so many bytes} */
        private MessageBuffer room(long length, ByteBuffer... from) {
            MessageBuffer before = response;
            if (before != null && before.data().remaining() >= length) {
                return before;
            }
            long all = before == null
                    ? length + announced(from[0])
                    : 2L * before.data().capacity() + length;
            MessageBuffer larger = endpoint.buffers().allocate(Math.toIntExact(all));
            if (before != null) {
                larger.data().put(before.data().flip());
                before.close();
            }
            response = larger;
            return larger;
        }

        /** {@return the length of the content, if the header says so} */
        private static int announced(ByteBuffer header) {
            Matcher length = CONTENT_LENGTH.matcher(ISO_8859_1.decode(header.duplicate()));
            return length.find() ? Integer.parseInt(length.group(1)) : 0;
        }

        @Override
        protected void onIncompleteFlush() {
            throw new IllegalStateException("each flush takes all bytes");
        }

        @Override
        protected void doShutdownOutput() {
            close();
        }

        @Override
        protected void doClose() {
            MessageBuffer whole = response;
            if (!answered && whole != null) {
                answered = true;
                answer(whole);
            }
            call.close();
            super.doClose();
        }

        private void answer(MessageBuffer whole) {
            whole.data().flip();
            try {
                if (whole.data().remaining() <= endpoint.options().maxShort()) {
                    call.reply(whole.data());
                    whole.close();
                } else {
                    CompletableFuture<Void> unused =
                            call.replyLong(whole).whenComplete((done, failure) -> whole.close());
                }
            } catch (RdmaException e) { // the client is gone
                whole.close();
            }
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            Connection connection = getConnection();
            if (connection != null) {
                connection.onClose(cause);
            }
            onEndPointClosed(this);
            super.onClose(cause);
        }

        @Override
        public Object getTransport() {
            return endpoint;
        }

        @Override
        public SocketAddress getLocalSocketAddress() {
            return InetSocketAddress.createUnresolved("service", endpoint.service());
        }

        @Override
        public SocketAddress getRemoteSocketAddress() {
            return InetSocketAddress.createUnresolved("service", client);
        }
    }
}
