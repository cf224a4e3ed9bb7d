import { closeCodes, opcodes } from './server-frames.ts';

const HEAD_BYTES = 2;
const MASK_BYTES = 4;
const CONTROL_BYTES_MAX = 125;
const knownOpcodes: ReadonlySet<number> = new Set(Object.values(opcodes));

export interface ClientFrameEvents {
  ping(payload: Uint8Array): void;
  /** The client is done, or breaks the rules; nothing is read after this. */
  end(code: number): void;
}

/**
 * Reads the frames of a watch's client: messages are skipped as they come and none is held, but pings are answered and
 * a close ends the watch.
 */
export class ClientFrames {
  private readonly events: ClientFrameEvents;
  /** The frame's head as far as it has come, at most 14 bytes. */
  private head: Buffer = Buffer.alloc(0);
  private frame: FrameInProgress | undefined;
  private ended = false;

  constructor(events: ClientFrameEvents) {
    this.events = events;
  }

  push(bytes: Uint8Array): void {
    let rest = bytes;
    while (!this.ended && rest.length > 0)
      rest = this.frame === undefined ? this.readHead(rest) : this.readPayload(rest, this.frame);
  }

  private end(code: number): void {
    this.ended = true;
    this.events.end(code);
  }

  private readHead(bytes: Uint8Array): Uint8Array {
    const missing = headBytes(this.head) - this.head.length;
    const taken = bytes.subarray(0, missing);
    this.head = Buffer.concat([this.head, taken]);
    // With its second byte a head says how long it is.
    if (this.head.length === headBytes(this.head)) this.beginFrame(this.head);
    return bytes.subarray(taken.length);
  }

  private beginFrame(head: Buffer): void {
    this.head = Buffer.alloc(0);
    const [first, second] = [head[0]!, head[1]!];
    const opcode = first & 0x0f;
    const payloadBytes = payloadBytesOf(head);
    const isControl = opcode >= opcodes.close;
    const isWhole = (first & 0x80) !== 0;
    // Reserved bits mean an extension, and none is agreed on; a client masks every frame.
    if (
      (first & 0x70) !== 0 ||
      (second & 0x80) === 0 ||
      !knownOpcodes.has(opcode) ||
      (isControl && (!isWhole || payloadBytes > CONTROL_BYTES_MAX))
    ) {
      this.end(closeCodes.protocolError);
      return;
    }
    this.frame = {
      opcode,
      mask: head.subarray(-MASK_BYTES),
      missingBytes: payloadBytes,
      payload: isControl ? [] : undefined,
    };
    if (payloadBytes === 0) this.finish(this.frame);
  }

  private readPayload(bytes: Uint8Array, frame: FrameInProgress): Uint8Array {
    const taken = bytes.subarray(0, frame.missingBytes);
    frame.missingBytes -= taken.length;
    for (const byte of frame.payload === undefined ? [] : taken)
      frame.payload!.push(byte ^ frame.mask[frame.payload!.length % MASK_BYTES]!);
    if (frame.missingBytes === 0) this.finish(frame);
    return bytes.subarray(taken.length);
  }

  private finish({ opcode, payload }: FrameInProgress): void {
    this.frame = undefined;
    if (opcode === opcodes.close) this.end(closeCodes.normal);
    else if (opcode === opcodes.ping) this.events.ping(Uint8Array.from(payload ?? []));
  }
}

interface FrameInProgress {
  readonly opcode: number;
  readonly mask: Uint8Array;
  missingBytes: number;
  /** Of a control frame, unmasked; others are skipped. */
  readonly payload: number[] | undefined;
}

/** Bytes of the whole head, as far as is known. */
function headBytes(head: Uint8Array): number {
  if (head.length < HEAD_BYTES) return HEAD_BYTES;
  const masked = (head[1]! & 0x80) === 0 ? 0 : MASK_BYTES;
  const length = head[1]! & 0x7f;
  return HEAD_BYTES + (length === 126 ? 2 : length === 127 ? 8 : 0) + masked;
}

function payloadBytesOf(head: Buffer): number {
  const length = head[1]! & 0x7f;
  if (length === 126) return head.readUInt16BE(HEAD_BYTES);
  return length === 127 ? Number(head.readBigUInt64BE(HEAD_BYTES)) : length;
}
