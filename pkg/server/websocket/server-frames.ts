/** Kinds of frames (RFC 6455, section 5.2). */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
/** Reasons of a close frame (RFC 6455, section 7.4.1). */
export const closeCodes = { normal: 1000, protocolError: 1002 } as const;

const FIN = 0x80;
/** Of the protobuf stream of a watch: the length before each event, for which a frame of its own has a place. */
const LENGTH_BYTES = 4;

/** What stands before a whole message of the server, which masks none. */
export function frameHead(opcode: number, payloadBytes: number): Buffer {
  if (payloadBytes < 126) return Buffer.from([FIN | opcode, payloadBytes]);
  if (payloadBytes < 65_536) {
    const head = Buffer.from([FIN | opcode, 126, 0, 0]);
    head.writeUInt16BE(payloadBytes, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head.set([FIN | opcode, 127]);
  head.writeBigUInt64BE(BigInt(payloadBytes), 2);
  return head;
}

/** Events of a JSON watch, each a message of text. */
export function textMessages(events: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(events.flatMap((event) => [frameHead(opcodes.text, event.length), event]));
}

/** Events of a protobuf watch, each a binary message. */
export function binaryMessages(events: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    events.flatMap((event) => [frameHead(opcodes.binary, event.length - LENGTH_BYTES), event.subarray(LENGTH_BYTES)]),
  );
}

export function closeFrame(code: number): Uint8Array {
  const frame = Buffer.concat([frameHead(opcodes.close, 2), Buffer.alloc(2)]);
  frame.writeUInt16BE(code, frame.length - 2);
  return frame;
}

export function pongFrame(payload: Uint8Array): Uint8Array {
  return Buffer.concat([frameHead(opcodes.pong, payload.length), payload]);
}
