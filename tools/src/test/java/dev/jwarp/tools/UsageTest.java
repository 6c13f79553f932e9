package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageTest {
    @ParameterizedTest(name = "jwarp {0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
                    dmo                          | there is no command 'dmo'; did you mean demo?
                    rpign --help                 | there is no command 'rpign'; did you mean rping?
                    rping --jsom                 | there is no option '--jsom'; did you mean --json?
                    perf send_lat --itres=5      | there is no option '--itres=5'; did you mean --iters?
                    perf send_lat --report       | there is no option '--report'; did you mean --report-both or --report-histogram or --report_gbits?
                    perf sned_lat                | Invalid value for positional parameter at index 0 (TEST): there is no test 'sned_lat'; did you mean send_lat?
                    perf ib_sned_lat             | Invalid value for positional parameter at index 0 (TEST): there is no test 'ib_sned_lat'; did you mean send_lat?
                    config mpa.crs               | there is no setting mpa.crs; did you mean mpa.crc?
                    rping                        | the role is missing: -s for the server or -c for the client
                    rping -s -c                  | -s and -c exclude each other
                    rping -c                     | -c needs -a: the address of the server
                    rping -c -a ::1 -P           | -P is for the server, -s
                    rping -s -I ::1              | -I is for the client, -c
                    rping -s -S 26               | -S 26 is out of range: 27 to 65535
                    rping -s -S 65536            | -S 65536 is out of range: 27 to 65535
                    rping -s -C -1               | -C -1 is out of range: 0 (without end) or more
                    rping -s -p 65536            | -p 65536 is out of range: 1 to 65535
                    rping -c -a ::1 -p 0         | -p 0 is out of range: 1 to 65535
                    rping -s -p seven            | Invalid value for option '-p': 'seven' is not an int
                    rping -s --timeout -1        | --timeout takes seconds from 0 on, such as 2 or 0.5, not -1.0
                    rping -s -i NaN              | -i takes seconds from 0 on, such as 2 or 0.5, not NaN
                    rping -n 3                   | '-n' is not supported: the number of rounds is -C
                    rping -n3                    | '-n' is not supported: the number of rounds is -C
                    rping --nonsense             | there is no option '--nonsense'
                    rping -s stray               | there is no argument 'stray'
                    cmatose -t 8                 | '-t' is not supported: jwarp does not set the type of service
                    cmatose -C -1                | -C and -S take numbers from 0 on, -c from 1 on
                    cmatose -C 99999 -S 99999    | -C times -S is more than 1073741824 bytes
                    cmatose -s ::1 --reject no   | --reject is for the server, without -s
                    rdma-client                  | -s is missing: the server to connect to
                    rdma-server -s ::1           | -s is for rdma-client
                    proxy -l tcp://1 -t tcp://h  | h is not HOST:PORT
                    proxy -l tcp://1 -t tcp://[::1]:2 --progress inline | --progress has no meaning here
                    proxy -l 1 -t rdma://::1:2   | -l 1 has no protocol
                    proxy -l tcp://1 -t tcp://[::1]:2 -n -1 | -n takes a number of connections, not -1
                    cp file                      | source or destination is missing: jwarp cp SRC... HOST:DST
                    cp file there                | there is not HOST:DST
                    cp file there:/etc           | there:/etc is not HOST:DST
                    cp file :x                   | :x is not HOST:DST
                    cp -n 1 file there:x         | -n is for --serve
                    cp --serve . file            | --serve only receives, and takes no source: file
                    cp --serve . --one-sided     | --one-sided is for the sender
                    cp --tcp --one-sided f h:    | --one-sided needs RDMA: leave out --tcp or --one-sided
                    cp -p 0 file there:x         | -p takes a port, not 0
                    loss --rates 51              | --rates 51 is out of range: 0 to 50 percent
                    loss --rates few             | --rates: 'few' is not a number of percent; write it as 0.5
                    loss --sizes 0               | --sizes 0 is out of range: 1 to 1M
                    loss --sizes 2M              | --sizes 2M is out of range: 1 to 1M
                    loss --services ud           | there is no service 'ud'
                    loss --window 65             | --window 65 is out of range: 1 to 64
                    loss --limit 0               | --limit takes seconds above 0 up to 3600, such as 10 or 0.5, not 0.0
                    loss --rates 1 --inject loss=1% | --rates and loss= in --inject exclude each other
                    loss --inject loss=few       | --inject loss=few is not a fault; write it as loss=1%,reorder=1%
                    loss --lab x --inject seed=1 | --inject is for the transport of one process; with --lab the path loses packets
                    loss --repeat 0              | --repeat 0 is out of range: 1 to 100
                    loss --rtt 1001              | --rtt 1001 is out of range: 0 to 1000 milliseconds
                    loss --rtt 1 --inject delay=1ms | --rtt and delay= in --inject exclude each other
                    loss --bottleneck 1M,64K     | --bottleneck is not possible on loopback
                    loss --lab x --bottleneck 1M | --bottleneck 1M has a queue in bandwidth-delay products, but there is no delay
                    loss --lab x --bottleneck much | --bottleneck much has a rate that cannot be parsed
                    loss --lab x --bottleneck 1K,9K | --bottleneck 1K,9K has a rate out of range, 100K to 10G bits a second
                    loss --lab x --bottleneck 1M,q | --bottleneck 1M,q has a queue that cannot be parsed
                    loss --lab x --bottleneck 1M,8M | --bottleneck 1M,8M has a queue that takes longer than 10 seconds to drain
                    loss --csv /no/such/f        | /no/such/f: the folder does not exist, or the file is a folder
                    perf send_bw -a -s 2         | -a and -s exclude each other
                    perf send_bw -n 5 -D 1       | -n and -D exclude each other
                    perf send_bw --run_infinitely | --run_infinitely needs -D, the time of a row
                    perf send_lat -b             | -b is for bandwidth; a latency test always sends both ways
                    perf send_lat -q 2           | -q is for bandwidth; latency is that of one queue pair
                    perf atomic_lat -c UD        | atomic_lat is for connections (-c RC): datagrams have no Atomics
                    perf atomic_lat -s 16        | Atomics have 8 bytes: no -a, no other -s
                    perf write_lat -e            | -e is not possible with write_lat over RC: the target gets no completion for a Write, and has to poll
                    perf send_bw -m 9000         | -m is for datagrams (-c UD, -c RD); TCP decides the MTU of connections
                    perf send_bw -o 3            | -o is for Reads and Atomics; -t limits other messages in flight
                    perf send_bw -t 4 -Q 8       | -Q 8 is more than -t 4: there would be no completion
                    perf send_bw -l 256          | -l 256 is more than -t 128, the messages in flight
                    perf send_bw -s 0            | -s 0 is out of range: 1 to 536870912
                    perf send_bw -D -1           | -D takes more than 0 seconds
                    perf send_bw --self ::1      | --self and HOST exclude each other
                    perf send_bw ::1 --persistent | --persistent is for the server: no HOST, no --self
                    perf send_bw --report-both   | --report-both needs -b: otherwise there is one direction
                    perf send_bw -d mlx5_0       | '-d' is not supported: there is one device, jwarp0
                    perf send_bw -U              | '-U' is not supported: latencies are kept in a histogram of constant size; -H prints it
                    perf send_bw --margin 3      | '--margin' is not supported: all of -D is measured; --warmup sets the time before
                    perf send_bw --plot /no/such/f | /no/such/f: the folder does not exist, or the file is a folder
                    demo --size many             | --size: 'many' is not a number of bytes; write it as 4096, 64K or 1M
                    demo --message-size 0        | --message-size 0 is out of range: 1 to 16M
                    demo --message-size 17M      | --message-size 17M is out of range: 1 to 16M
                    demo --file x --size 1M      | --size is for a generated file, not for --file
                    demo --file /no/such/file    | there is no file /no/such/file
                    decode                       | Missing required parameter: 'FILE'
                    decode /no/such/file         | there is no file /no/such/file
                    decode /                     | / is a directory; decode reads a capture file
                    decode -p 0 x                | --port 0 is out of range: 1 to 65535
                    demo --file /                | / is a directory; --file takes a file
                    """)
    @DisplayName("a wrong command line ends with 2 and one sentence")
    void wrongCommandLineEndsWith2AndOneSentence(String commandLine, String sentence) {
        Run run = Run.of(commandLine.split(" "));

        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + sentence + System.lineSeparator());
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "rping --json, jwarp.rping/1",
        "rping --json --nonsense, jwarp.rping/1",
        "demo --json --size x, jwarp.demo/1"
    })
    @DisplayName("with JSON a wrong command line is told as a document too")
    void withJsonWrongCommandLineIsToldAsDocumentToo(String commandLine, String schema) throws Exception {
        Run run = Run.of(commandLine.split(" "));

        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(document.path("schema").asText()).isEqualTo(schema);
        assertThat(document.path("status").asText()).isEqualTo("usage");
        assertThat(document.path("exit_status").asInt()).isEqualTo(2).isEqualTo(run.status());
        assertThat(run.err())
                .startsWith("error: " + document.path("error").path("message").asText());
    }

    @Test
    @DisplayName("no usage error shows a stack")
    void noUsageErrorShowsStack() {
        assertThat(Run.of("rping", "-s", "-p", "x").err())
                .doesNotContain("Exception")
                .doesNotContain("\tat ");
    }
}
