-- Datagram-iWARP for Wireshark and tshark: every field of every Kind of version 1, the CRC, and what is wrong with a
-- datagram as far as it can be seen without the state of its receiver. "§n" is section n of docs/draft-jwarp-datagram-iwarp-00.md.
--
--   tshark -X lua_script:interop/wireshark/jwarp-datagram.lua -r capture.pcap
--
-- On any UDP port a datagram is taken if its version, Kind, flags and CRC are right. On the port of the preference "UDP
-- port" (7174, that of jwarp's tools; 0 for none) every datagram is taken, and shown as malformed if it is.
--
-- Tagged segments and Read Requests go to Wireshark's own dissector of DDP and RDMAP too. Sends do not: it would
-- look for RPC in them.

local dg = Proto("dgiwarp", "Datagram-iWARP")
dg.prefs.port = Pref.uint("UDP port", 7174, "Every datagram from or to this port is taken for datagram-iWARP; 0 for none")

-- §4, §18: the numbers.
local SHIM, CRC, SHORTEST = 24, 4, 28
local DATA, NOTIFY, CHALLENGE, RESOLVE, RESOLVED, OPEN, ACCEPT, ACK, RESET, VERSIONS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 15
local SEALED, PROBE, REPLY = 9, 11, 12
local R, C, D, G, A, P = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
local RESOLVE_LENGTH, MOST_PRIVATE = 288, 216
local ENVELOPE_REST, GREETING, TAG, HMAC, GCM = 60, 112, 16, 1, 2
local MOST_WORDS, WORD_LIMIT, REPLY_BODY = 128, 1024, 32

local KINDS = {
  [DATA] = "DATA", [NOTIFY] = "NOTIFY", [CHALLENGE] = "CHALLENGE", [RESOLVE] = "RESOLVE", [RESOLVED] = "RESOLVED",
  [OPEN] = "RD-OPEN", [ACCEPT] = "RD-ACCEPT", [ACK] = "RD-ACK", [RESET] = "RD-RESET", [VERSIONS] = "VERSION LIST",
  [SEALED] = "envelope", [PROBE] = "PATH-PROBE", [REPLY] = "PATH-REPLY",
}
local OPCODES = {
  [0] = "RDMA Write", "Read Request", "Read Response", "Send", "Send with Invalidate", "Send with Solicited Event",
  "Send with Solicited Event and Invalidate", "Terminate", "Immediate Data", "Immediate Data with Solicited Event",
  "Atomic Request", "Atomic Response", [15] = "WRITE_RECORD",
}
local TAGGED_OPCODE = { [0] = true, [2] = true, [3] = false, [1] = false, [5] = false, [15] = true }
local STATUSES = {
  [0] = "OK", "no such service", "refused", "no queue pair of a wanted type", "busy", "no version in common",
}
local REASONS = { "no channel", "remote error", "closed by its owner", "busy" }
local LAYERS = { [0] = "RDMAP", "DDP", "lower layer" }
local SERVICES = { "UD", "RD", "UD or RD" }
local QPNS = { [0] = "default", [1] = "resolver", [0xffffff] = "group" }

local f = {}
local function field(name, make, label, ...)
  f[name] = make("dgiwarp." .. name, label, ...)
end
local u8, u16, u24, u32, u64 = ProtoField.uint8, ProtoField.uint16, ProtoField.uint24, ProtoField.uint32, ProtoField.uint64
local DEC, HEX = base.DEC, base.HEX
field("version", u8, "Version", DEC, nil, 0xf0)
field("kind", u8, "Kind", DEC, KINDS, 0x0f)
field("destination_qpn", u24, "Destination QPN", HEX)
field("flags", u8, "Flags", HEX)
field("flags.zero", u8, "zero", HEX, nil, 0xc0)
field("flags.p", u8, "P, padded", DEC, nil, P)
field("flags.a", u8, "A, acknowledgement wanted", DEC, nil, A)
field("flags.g", u8, "G, group", DEC, nil, G)
field("flags.d", u8, "D, reliable", DEC, nil, D)
field("flags.c", u8, "C, cookie", DEC, nil, C)
field("flags.r", u8, "R, reply", DEC, nil, R)
field("source_qpn", u24, "Source QPN", HEX)
field("key", u32, "Key", HEX)
field("message_id", u32, "Message Id", HEX)
field("message_length", u32, "Message Length", DEC)
field("segment_index", u16, "Segment Index", DEC)
field("segment_size", u16, "Segment Size", DEC)
field("segments", u32, "Segments of the message", DEC)
field("cookie", ProtoField.bytes, "Cookie")
field("psn", u32, "PSN", DEC)
field("ack", u32, "Ack", DEC)
field("window", u16, "Window", DEC)
field("zero", ProtoField.bytes, "zero")
field("ddp.T", u8, "T, tagged", DEC, nil, 0x80)
field("ddp.L", u8, "L, last", DEC, nil, 0x40)
field("ddp.reserved", u8, "reserved", HEX, nil, 0x3c)
field("ddp.DV", u8, "DDP version", DEC, nil, 0x03)
field("ddp.RV", u8, "RDMAP version", DEC, nil, 0xc0)
field("ddp.rdmap_reserved", u8, "reserved", HEX, nil, 0x30)
field("ddp.opcode", u8, "Opcode", DEC, OPCODES, 0x0f)
field("ddp.stag", u32, "STag", HEX)
field("ddp.to", u64, "Tagged Offset", HEX)
field("ddp.ulp_word", u32, "RsvdULP", HEX)
field("ddp.qn", u32, "Queue Number", DEC)
field("ddp.msn", u32, "Message Sequence Number", DEC)
field("ddp.mo", u32, "Message Offset", DEC)
field("read.sink_stag", u32, "Sink STag", HEX)
field("read.sink_to", u64, "Sink Tagged Offset", HEX)
field("read.size", u32, "Size", DEC)
field("read.source_stag", u32, "Source STag", HEX)
field("read.source_to", u64, "Source Tagged Offset", HEX)
field("payload", ProtoField.bytes, "Payload")
field("pad", ProtoField.bytes, "Pad")
field("layer", u8, "Layer", DEC, LAYERS, 0xf0)
field("etype", u8, "Error Type", DEC, nil, 0x0f)
field("code", u8, "Error Code", HEX)
field("service_id", u64, "Service Id", HEX)
field("qp_types", u8, "Types of queue pair wanted", DEC, SERVICES)
field("versions", u16, "Versions spoken, bit v for version v", HEX)
field("version_list", u32, "Versions spoken, bit v for version v", HEX)
field("private_length", u16, "Private Length", DEC)
field("private", ProtoField.bytes, "Private Data")
field("status", u8, "Status", DEC, STATUSES)
field("qp_type", u8, "Type of queue pair", DEC, SERVICES)
field("qpn", u32, "QPN", HEX)
field("q_key", u32, "Q_Key", HEX)
field("port", u16, "Port, 0 for this one", DEC)
field("largest_payload", u16, "Largest UDP payload", DEC)
field("max_message", u32, "Longest message", DEC)
field("max_read", u32, "Longest RDMA Read", DEC)
field("tag", u32, "Tag of the sender", HEX)
field("first_psn", u32, "First PSN of the sender", DEC)
field("previous_tag", u32, "Previous tag of the receiver", HEX)
field("ack_flags", u8, "Flags", HEX)
field("rnr", u8, "RNR, receiver not ready", DEC, nil, 0x01)
field("words", u8, "SACK words", DEC)
field("ecn", u8, "CE and ECT count", DEC, nil, 0x02)
field("first_word", u16, "Number of the first word", DEC)
field("delay", u16, "Delay, in units of 16 microseconds", DEC)
field("echo", u32, "PSN that came last", DEC)
field("ce", u32, "Came with CE", DEC)
field("ect", u32, "Came with ECT", DEC)
field("duplicates", u32, "Came a second time", DEC)
field("last_duplicate", u32, "PSN of the last that did", DEC)
field("sack", u64, "SACK word", HEX)
field("features", u32, "Features", HEX)
field("features.ecn", u32, "ECN", DEC, nil, 0x01)
field("token", ProtoField.bytes, "Token")
field("length_received", u16, "UDP payload received", DEC)
field("datagrams_received", u32, "DATA received", DEC)
field("reflected", u8, "Reflected", DEC)
field("reason", u8, "Reason", DEC, REASONS)
field("crc", u32, "CRC32C", HEX)
field("crc.good", u8, "CRC is right", DEC)
field("key_id", u32, "Key Id", DEC)
field("inner.version", u8, "Version within", DEC, nil, 0xf0)
field("inner.kind", u8, "Kind within", DEC, KINDS, 0x0f)
field("algorithm", u8, "Algorithm", DEC, { [0] = "reserved", "HMAC-SHA-256-128", "AES-128-GCM" })
field("length", u16, "Length of the envelope", DEC)
field("origin", u64, "Origin", HEX)
field("sequence", u64, "Sequence", DEC)
field("time", u32, "Time, seconds since 1970", DEC)
field("receiver", u64, "Receiver", HEX)
field("asks", ProtoField.bytes, "Asks")
field("answers", ProtoField.bytes, "Answers")
field("tag128", ProtoField.bytes, "Tag")
field("rest", ProtoField.bytes, "Octets that do not belong here")
dg.fields = f

local e = {}
local function expert(name, label, group)
  e[name] = ProtoExpert.new("dgiwarp." .. name, label, group, PI_ERROR)
end
expert("bad_length", "too short for what it is", PI_MALFORMED)
expert("bad_crc", "wrong CRC32C", PI_CHECKSUM)
expert("bad_version", "version that is not understood here", PI_PROTOCOL)
expert("bad_kind", "unknown Kind", PI_PROTOCOL)
expert("bad_flags", "flags or zero fields of the shim that this Kind does not allow", PI_PROTOCOL)
expert("bad_body", "body, Source QPN or source address that cannot be", PI_MALFORMED)
expert("bad_ddp", "DDP or RDMAP header that cannot be here", PI_PROTOCOL)
expert("bad_shape", "segment that breaks the rules of section 4.5", PI_PROTOCOL)
dg.experts = e

-- §4.1: CRC32C. Lua 5.2 has bit32, later ones have operators that 5.2 cannot read.
local xor, band, shift
if bit32 then
  xor, band, shift = bit32.bxor, bit32.band, bit32.rshift
else
  xor = load("return function(a, b) return a ~ b end")()
  band = load("return function(a, b) return a & b end")()
  shift = load("return function(a, n) return a >> n end")()
end
local crc_table = {}
for octet = 0, 255 do
  local value = octet
  for _ = 1, 8 do
    value = band(value, 1) == 1 and xor(shift(value, 1), 0x82f63b78) or shift(value, 1)
  end
  crc_table[octet] = value
end
local function crc_good(tvb, length)
  local octets, value = tvb:raw(0, length), 0xffffffff
  for i = 1, length - CRC do
    value = xor(crc_table[band(xor(value, octets:byte(i)), 0xff)], shift(value, 8))
  end
  return xor(value, 0xffffffff) == tvb(length - CRC, CRC):le_uint()
end

local function has(flags, flag) return band(flags, flag) ~= 0 end

-- §4.2: which flags a Kind may have.
local function flags_legal(kind, flags)
  if kind == DATA then
    local exclusive = (has(flags, C) and 1 or 0) + (has(flags, D) and 1 or 0) + (has(flags, G) and 1 or 0)
    return not has(flags, 0xc0) and exclusive <= 1 and (has(flags, D) or not has(flags, A))
      and not (has(flags, R) and (has(flags, C) or has(flags, G)))
  elseif kind == RESOLVE or kind == OPEN then
    return band(flags, 0xff - C) == 0
  end
  if kind == PROBE then return flags == 0 or flags == C or flags == D or flags == R end
  if kind == REPLY then return flags == R or flags == R + D end
  return flags == R
end

-- §4.2: what of the shim is zero.
local function zeros_legal(kind, tvb)
  return kind == DATA or kind == NOTIFY or tvb(20, 4):uint() == 0
end

-- §5, check 5: groups do not send.
local function source_legal(pinfo)
  local from = tostring(pinfo.net_src)
  local first = tonumber(from:match("^(%d+)%.%d+%.%d+%.%d+$"))
  if first then return (first < 224 or first > 239) and from ~= "255.255.255.255" and pinfo.src_port ~= 0 end
  return not from:lower():find("^ff") and pinfo.src_port ~= 0
end

-- §5.4
local function source_qpn_legal(kind, flags, qpn)
  if qpn >= 16 and qpn < 0xffffff then return kind ~= RESOLVE and kind ~= RESOLVED end
  if kind == PROBE then return qpn == 0 and has(flags, R) end
  if kind == DATA then return qpn == 0 and has(flags, R) and not has(flags, D) end
  if kind == NOTIFY then return qpn == 0 end
  if kind == REPLY then return qpn == 0 and not has(flags, D) end
  if kind == CHALLENGE or kind == VERSIONS then return qpn <= 1 end
  return qpn == 1 and (kind == RESOLVE or kind == RESOLVED)
end

-- Walks through a datagram, adding fields from left to right up to where the CRC stands.
local Cursor = {}
Cursor.__index = Cursor
function Cursor:left() return self.stop - self.at end
function Cursor:range(length)
  local range = self.tvb(self.at, length)
  self.at = self.at + length
  return range
end
function Cursor:add(name, length, tree) -- returns the value of up to 4 octets
  if self:left() < length then
    if not self.short then self.short = true; self.tree:add_proto_expert_info(e.bad_length) end
    return nil
  end
  if length == 0 then return nil end
  local range = self:range(length)
  ;(tree or self.tree):add(f[name], range)
  return length <= 4 and range:uint() or nil
end
function Cursor:zero(length)
  local value = self:add("zero", length)
  if value and value ~= 0 then self.bad = true end
end
function Cursor:want(condition) if not condition then self.bad = true end end

local function control(c, used)
  local first = c:left() >= 4 and c.tvb(c.at, 4):uint() or 0
  if c:left() >= 4 then
    local tree = c.tree:add(dg, c.tvb(c.at, 4), "Terminate Control")
    tree:add(f.layer, c.tvb(c.at, 1))
    tree:add(f.etype, c:range(1))
    c:add("code", 1, tree)
    c:add("zero", 2, tree)
  else
    c:add("layer", 4)
  end
  c:want(used and band(first, 0xffff) == 0 or first == 0)
  return string.format("%d/%d/%02X", shift(first, 28), band(shift(first, 24), 15), band(shift(first, 16), 255))
end

local function private(c)
  local length = c:add("private_length", 2)
  c:zero(2)
  return length
end

local bodies = {}
bodies[NOTIFY] = function(c)
  return 4, control(c, true)
end
bodies[CHALLENGE] = function(c)
  c:add("cookie", 16)
  return 16, ""
end
bodies[RESOLVE] = function(c)
  c:add("service_id", 8)
  local types = c:add("qp_types", 1)
  c:want(types and types >= 1 and types <= 3)
  c:zero(1)
  c:add("versions", 2)
  local length = private(c) or 0
  c:want(length <= MOST_PRIVATE)
  c:add("private", math.min(length, c:left()))
  c:add("pad", math.max(0, RESOLVE_LENGTH - CRC + (c.shift or 0) - c.at))
  return 16 + length, SERVICES[types] or "?"
end
bodies[RESOLVED] = function(c)
  local status = c:add("status", 1)
  local kind = c:add("qp_type", 1)
  c:add("versions", 2)
  local start = c.at
  local qpn = c:add("qpn", 4)
  c:add("q_key", 4)
  c:add("port", 2)
  c:add("largest_payload", 2)
  c:add("max_message", 4)
  c:add("max_read", 4)
  local length = private(c) or 0
  c:want(length <= MOST_PRIVATE)
  c:add("private", length)
  c:want(status and STATUSES[status])
  if status == 0 then
    c:want((kind == 1 or kind == 2) and qpn and qpn >= 16 and qpn < 0xffffff)
  elseif not c.short then
    c:want(kind == 0 and tostring(c.tvb(start, 20):bytes()):find("[^0]") == nil)
  end
  return 28 + length, STATUSES[status] or "?"
end
local function features(c)
  if c:left() < 4 then c:add("features", 4) return end
  local range = c:range(4)
  c.tree:add(f.features, range):add(f["features.ecn"], range)
end
local function opening(third)
  return function(c)
    c:want(c:add("tag", 4) ~= 0)
    c:add("first_psn", 4)
    c:add(third, 4)
    c:want(c:add("window", 2) ~= 0)
    c:zero(2)
    features(c)
    c:add("pad", 12)
    return 32, ""
  end
end
bodies[OPEN] = opening("previous_tag")
bodies[ACCEPT] = opening("ack")
bodies[RESET] = function(c)
  local reflected = c:add("reflected", 1)
  local reason = c:add("reason", 1)
  c:zero(2)
  c:want(reflected and reflected <= 1 and REASONS[reason])
  local code = control(c, reason == 2)
  return 8, (REASONS[reason] or "?") .. (reason == 2 and " " .. code or "")
end

bodies[ACK] = function(c)
  local ack = c:add("ack", 4)
  c:want(c:add("window", 2) ~= 0)
  local marks = 0
  if c:left() > 0 then
    local flags = c:range(1)
    local tree = c.tree:add(f.ack_flags, flags)
    tree:add(f.rnr, flags)
    tree:add(f.ecn, flags)
    c:want(flags:uint() <= 3)
    marks = band(flags:uint(), 2)
  end
  local words = c:add("words", 1) or 0
  c:want(words <= MOST_WORDS)
  c:want((c:add("first_word", 2) or 0) + words <= WORD_LIMIT)
  c:add("delay", 2)
  c:add("echo", 4)
  c:want(c:add("ce", 4) == 0 or marks ~= 0)
  c:want(c:add("ect", 4) == 0 or marks ~= 0)
  c:add("duplicates", 4)
  c:add("last_duplicate", 4)
  for _ = 1, math.min(words, MOST_WORDS) do c:add("sack", 8) end
  return 32 + 8 * words, "Ack " .. (ack or "?")
end
bodies[PROBE] = function(c, stated)
  features(c)
  c:add("token", 8)
  c:add("largest_payload", 2)
  c:zero(2)
  if stated < REPLY_BODY or c:left() < stated - 16 then
    c:add("pad", c:left() + 1) -- too short for what it says, or for its answer
  else
    c:add("pad", stated - 16)
  end
  return stated, c.stop + CRC .. " octets"
end
bodies[REPLY] = function(c)
  features(c)
  c:add("token", 8)
  local length = c:add("length_received", 2)
  c:add("largest_payload", 2)
  c:add("datagrams_received", 4)
  c:add("ce", 4)
  c:add("ect", 4)
  c:add("delay", 2)
  c:zero(2)
  return REPLY_BODY, (length or "?") .. " octets came"
end

-- §4.5, §4.6: one DDP segment. Answers what it is, in words.
local ddp_dissector = Dissector.get("iwarp_ddp_rdmap")
local function segment(c, shim, pinfo, top)
  local start = c.at
  if c:left() < 1 then c:add("ddp.T", 1) return "" end
  local tagged = has(c.tvb(c.at, 1):uint(), 0x80)
  local header = tagged and 14 or 18
  if c:left() < header then c:add("payload", header) return "" end
  local tree = c.tree:add(dg, c.tvb(c.at, header), "DDP segment, " .. (tagged and "tagged" or "untagged"))
  local first, second = c.tvb(c.at, 1), c.tvb(c.at + 1, 1)
  for _, name in ipairs({ "T", "L", "reserved", "DV" }) do tree:add(f["ddp." .. name], first) end
  for _, name in ipairs({ "RV", "rdmap_reserved", "opcode" }) do tree:add(f["ddp." .. name], second) end
  c.at = c.at + 2
  local last, opcode = has(first:uint(), 0x40), band(second:uint(), 15)
  local offset = shim.index * shim.size
  local wrong = false
  if tagged then
    c:add("ddp.stag", 4, tree)
    c:add("ddp.to", 8, tree)
  else
    c:add("ddp.ulp_word", 4, tree)
    wrong = c:add("ddp.qn", 4, tree) ~= (opcode == 1 and 1 or 0)
    wrong = c:add("ddp.msn", 4, tree) ~= shim.id or wrong
    wrong = c:add("ddp.mo", 4, tree) ~= offset or wrong
  end
  wrong = wrong or band(first:uint(), 3) ~= 1 or shift(second:uint(), 6) ~= 1 or TAGGED_OPCODE[opcode] ~= tagged
    or (opcode == 2) ~= has(shim.flags, R) or (opcode == 0 and not has(shim.flags, D))
  local room, size, length = c:left(), shim.size, shim.length
  local count = length == 0 and 1 or (size > 0 and math.ceil(length / size) or 0)
  local payload = count == 1 and length or math.max(0, math.min(size, length - offset))
  local padded = has(shim.flags, P)
  local shape = shim.index < count and count <= 65536 and last == (shim.index == count - 1) and (last or not padded)
    and (count == 1 or (size >= 256 and size % 4 == 0)) and (count > 1 or size == length or (padded and size > length))
    and room == ((last and not padded) and payload or size)
  tree:add(f.segments, count):set_generated()
  payload = math.min(payload, room)
  if opcode == 1 and payload == 28 then
    local read = c.tree:add(dg, c.tvb(c.at, 28), "RDMA Read Request")
    c:add("read.sink_stag", 4, read)
    c:add("read.sink_to", 8, read)
    c:add("read.size", 4, read)
    c:add("read.source_stag", 4, read)
    c:add("read.source_to", 8, read)
  else
    wrong = wrong or opcode == 1
    c:add("payload", payload)
  end
  if padded then c:add("pad", c:left()) end
  if wrong then c.tree:add_proto_expert_info(e.bad_ddp) end
  if not shape then c.tree:add_proto_expert_info(e.bad_shape) end
  if ddp_dissector and not wrong and shape and (tagged or opcode == 1) then
    ddp_dissector:call(c.tvb(start, header + payload):tvb(), pinfo, top)
  end
  return string.format("%s, %d of %d octets, segment %d of %d", OPCODES[opcode] or "opcode " .. opcode, payload, length,
    shim.index + 1, count)
end

local function add_qpn(c, name)
  local number = c.tvb(c.at, 3):uint()
  local item = c.tree:add(f[name], c:range(3))
  if QPNS[number] then item:append_text(" (" .. QPNS[number] .. ")") end
  return number
end

local function shim_fields(c, kind)
  local tvb, tree = c.tvb, c.tree
  tree:add(f.version, tvb(0, 1))
  local kind_item = tree:add(f.kind, tvb(0, 1))
  c.at = 1
  local shim = { destination = add_qpn(c, "destination_qpn") }
  shim.flags = tvb(4, 1):uint()
  local flags = tree:add(f.flags, tvb(4, 1))
  for _, name in ipairs({ "zero", "p", "a", "g", "d", "c", "r" }) do flags:add(f["flags." .. name], tvb(4, 1)) end
  c.at = 5
  shim.source = add_qpn(c, "source_qpn")
  c:add("key", 4)
  shim.id = c:add("message_id", 4)
  if kind == VERSIONS then
    kind_item:set_text("Kind: VERSION LIST")
    shim.length = c:add("version_list", 4)
    c:add("zero", 4)
  else
    shim.length = c:add("message_length", 4)
    shim.index = c:add("segment_index", 2)
    shim.size = c:add("segment_size", 2)
  end
  return shim
end

local function body(c, kind, shim, pinfo, top)
  if has(shim.flags, C) and (kind == DATA or kind == RESOLVE or kind == OPEN or kind == PROBE) then c:add("cookie", 16) end
  if kind == DATA then
    if has(shim.flags, D) then
      c:add("psn", 4)
      c:add("ack", 4)
      c:want(c:add("window", 2) ~= 0)
      c:zero(2)
      return segment(c, shim, pinfo, top) .. ", reliable"
    end
    return segment(c, shim, pinfo, top)
  elseif kind == VERSIONS then
    return string.format("0x%X", shim.length)
  end
  local length, text = bodies[kind](c, shim.length)
  c:want(length == shim.length)
  return text
end

-- §K.3: what an envelope adds. The fields of the datagram within follow from octet 60 on, unless they are encrypted; the
-- tag is not looked at.
local function envelope(c, length)
  c:add("key_id", 4)
  local first = c.tvb(c.at, 1)
  c.tree:add(f["inner.version"], first)
  c.tree:add(f["inner.kind"], first)
  c.at = c.at + 1
  local algorithm = c:add("algorithm", 1)
  c:want(algorithm == HMAC or algorithm == GCM)
  c:want(c:add("length", 2) == length)
  c:add("origin", 8)
  c:add("sequence", 8)
  c:add("time", 4)
  c:add("receiver", 8)
  c.tree:add(f.tag128, c.tvb(length - CRC - TAG, TAG))
  c.stop = length - CRC - TAG
  c.shift = ENVELOPE_REST - SHIM
  return algorithm == GCM
end

local function dissect(tvb, pinfo, top)
  local length = tvb:len()
  pinfo.cols.protocol = "DG-iWARP"
  local tree = top:add(dg, tvb())
  if length < SHORTEST then
    if length > 0 then tree:add(f.rest, tvb()) end
    tree:add_proto_expert_info(e.bad_length)
    pinfo.cols.info = "too short"
    return length
  end
  local c = setmetatable({ tvb = tvb, tree = tree, at = 0, stop = length - CRC }, Cursor)
  local version, kind = shift(tvb(0, 1):uint(), 4), band(tvb(0, 1):uint(), 15)
  local good, text = crc_good(tvb, length), ""
  local sealed = version == 1 and kind == SEALED and good and length >= ENVELOPE_REST + TAG + CRC
  if sealed then
    version, kind = shift(tvb(28, 1):uint(), 4), band(tvb(28, 1):uint(), 15)
  end
  local known = version == 1 and kind ~= VERSIONS and kind ~= SEALED and KINDS[kind] ~= nil or version == 0 and kind == VERSIONS
  local shim = shim_fields(c, version == 0 and kind or (kind ~= VERSIONS and kind or -1))
  local encrypted = sealed and envelope(c, length)
  local greeting = sealed and version == 0 and kind == 0 and length == GREETING
  if not good then
    tree:add_proto_expert_info(e.bad_crc)
  elseif greeting then
    if not encrypted then
      c:add("asks", 16)
      c:add("answers", 16)
    end
  elseif not known then
    tree:add_proto_expert_info((version == 1) and e.bad_kind or e.bad_version)
  elseif not flags_legal(kind, shim.flags) or not zeros_legal(kind, tvb) then
    tree:add_proto_expert_info(e.bad_flags)
  else
    text = encrypted and "encrypted" or body(c, kind, shim, pinfo, top)
    c:want(source_qpn_legal(kind, shim.flags, shim.source) and source_legal(pinfo))
    if c:left() > 0 and not encrypted and kind ~= DATA then c:want(false) end
    if c.bad and not c.short then tree:add_proto_expert_info(e.bad_body) end
  end
  if c:left() > 0 then tree:add(f.rest, c:range(c:left())) end
  tree:add(f.crc, tvb(length - CRC, CRC))
  tree:add(f["crc.good"], good and 1 or 0):set_generated()
  local name = known and KINDS[kind] or greeting and "greeting" or string.format("version %d, Kind %d", version, kind)
  if text ~= "" then name = known and kind == DATA and not encrypted and text or name .. " " .. text end
  if sealed then name = "sealed " .. name end
  pinfo.cols.protocol = "DG-iWARP"
  pinfo.cols.info = string.format("%s  id 0x%08X  0x%06X > 0x%06X%s", name, shim.id, shim.source, shim.destination,
    good and "" or "  [wrong CRC]")
  tree:append_text(", " .. name)
  return length
end

function dg.dissector(tvb, pinfo, tree)
  return dissect(tvb, pinfo, tree)
end

dg:register_heuristic("udp", function(tvb, pinfo, tree)
  local length = tvb:len()
  if length < SHORTEST or tvb:reported_len() ~= length then return false end
  local first, flags = tvb(0, 1):uint(), tvb(4, 1):uint()
  local kind = band(first, 15)
  if not (shift(first, 4) == 1 and kind ~= VERSIONS and KINDS[kind] or first == VERSIONS) then return false end
  if kind ~= SEALED and not flags_legal(kind, flags) or not crc_good(tvb, length) then return false end
  dissect(tvb, pinfo, tree)
  return true
end)

local udp_ports, registered = DissectorTable.get("udp.port"), 0
local function register()
  if registered ~= dg.prefs.port then
    if registered ~= 0 then udp_ports:remove(registered, dg) end
    registered = dg.prefs.port
    if registered ~= 0 then udp_ports:add(registered, dg) end
  end
end
dg.prefs_changed = register
register()
