/** What a watch's format makes of an event: bytes, or for callers in this process the event with its object. */
export interface Frame {
  /** Size that counts against the limit of a sink's buffer. */
  readonly length: number;
}

/** How frames are written, other than concatenated. */
export type FrameEncoding = (frames: readonly Uint8Array[]) => Uint8Array;

/** Frames that go to several sockets at once. Their bytes are joined once, in the form that the first socket needs. */
export class FrameBatch {
  readonly frames: readonly Frame[];
  private joined: Uint8Array | undefined;
  private chunk: Uint8Array | undefined;
  private encodedBy: FrameEncoding | undefined;
  private encodedBytes: Uint8Array | undefined;

  /** At least one frame. */
  constructor(frames: readonly Frame[]) {
    this.frames = frames;
    this.joined = undefined;
    this.chunk = undefined;
  }

  /** For a format that makes bytes: sinks and formats belong together. */
  private get byteFrames(): readonly Uint8Array[] {
    return this.frames as readonly Uint8Array[];
  }

  get bytes(): Uint8Array {
    this.joined ??= this.frames.length === 1 ? this.byteFrames[0]! : Buffer.concat(this.byteFrames);
    return this.joined;
  }

  /** The frames as one chunk of HTTP/1.1 chunked transfer coding. */
  http1Chunk(): Uint8Array {
    if (this.chunk === undefined) {
      const length = this.frames.reduce((sum, frame) => sum + frame.length, 0);
      this.chunk = Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, 'latin1'), ...this.byteFrames, chunkEnd]);
    }
    return this.chunk;
  }

  /** The frames in another encoding; sockets that share a batch share one. */
  encoded(encoding: FrameEncoding): Uint8Array {
    if (this.encodedBytes === undefined || this.encodedBy !== encoding) {
      this.encodedBy = encoding;
      this.encodedBytes = encoding(this.byteFrames);
    }
    return this.encodedBytes;
  }
}

const chunkEnd = Buffer.from('\r\n', 'latin1');
