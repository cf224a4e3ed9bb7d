/**
 * An etcd that speaks HTTP/2 as badly as its random source has it: it cuts, pads and interleaves frames, resets
 * streams, closes connections, leaves windows shut and says what is no HTTP/2 at all. What it says of its data is true,
 * and it lies in nothing that a client must rely on: a stream that it refuses, or passes over when it closes, it has
 * not looked at.
 */
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { encodeHeader, HeaderBlockReader } from '../../../pkg/storage/etcd/header-block.ts';
import {
  connectionPreface,
  encodeFrame,
  encodeNumberFrame,
  encodeSettings,
  FrameReader,
  frameFlag,
  frameType,
  setting,
} from '../../../pkg/storage/etcd/http2-frames.ts';
import type { Frame } from '../../../pkg/storage/etcd/http2-frames.ts';
import type { Random } from '../mutate.ts';
import type { ModelEtcd } from './model-etcd.ts';

const resetCodes = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 0xdead];
const refusedStream = 7;
const nothing = Buffer.alloc(0);

export class HostilePeer {
  /** How often it is hostile, from 0 to 1. */
  hostility: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, hostility: number) {
    this.#server = server;
    this.hostility = hostility;
  }

  static async start(model: ModelEtcd, random: Random, hostility: number): Promise<HostilePeer> {
    const server = createServer();
    const peer = new HostilePeer(server, hostility);
    server.on('connection', (socket) => {
      peer.#sockets.add(socket.on('error', () => undefined).on('close', () => peer.#sockets.delete(socket)));
      new HostileConnection(socket, model, random, () => random.next() < peer.hostility);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

interface OpenStream {
  readonly id: number;
  readonly path: string;
  readonly parts: Buffer[];
}

class HostileConnection {
  readonly #socket: Socket;
  readonly #model: ModelEtcd;
  readonly #random: Random;
  readonly #isHostile: () => boolean;
  readonly #frames = new FrameReader();
  readonly #headers = new HeaderBlockReader();
  readonly #streams = new Map<number, OpenStream>();
  readonly #watches: (() => void)[] = [];
  #prefaceBytesLeft = connectionPreface.length;
  #lastId = 0;
  /** It has said that it closes, and looks at nothing more. */
  #isGoingAway = false;

  constructor(socket: Socket, model: ModelEtcd, random: Random, isHostile: () => boolean) {
    this.#socket = socket;
    this.#model = model;
    this.#random = random;
    this.#isHostile = isHostile;
    socket
      .on('data', (chunk: Buffer) => this.#receive(chunk))
      .on('close', () => this.#watches.forEach((stop) => stop()));
    const values = [[setting.maxConcurrentStreams, 100]] as [number, number][];
    if (isHostile()) values.push([setting.headerTableSize, random.below(100_000)]);
    if (isHostile()) values.push([setting.initialWindowSize, random.pick([0, 1, 10, 100_000])]);
    if (isHostile()) values.push([random.below(10), random.below(2 ** 32)]);
    this.#write(isHostile() && isHostile() ? this.#junk() : encodeSettings(values));
  }

  #receive(chunk: Buffer): void {
    const bytes = chunk.subarray(Math.min(this.#prefaceBytesLeft, chunk.length));
    this.#prefaceBytesLeft -= chunk.length - bytes.length;
    this.#frames.push(bytes, (frame) => this.#handle(frame));
  }

  #handle(frame: Frame): void {
    const { type, stream: id, payload } = frame;
    if (type === frameType.headers && !this.#isGoingAway) {
      this.#lastId = id;
      this.#streams.set(id, { id, path: this.#headers.read(payload).get(':path') ?? '', parts: [] });
      if (this.#isHostile()) this.#write(this.#junk());
    } else if (type === frameType.data) this.#handleData(frame);
    else if (type === frameType.resetStream) this.#streams.delete(id);
    else if (type === frameType.ping && !(frame.flags & frameFlag.ack))
      this.#write(encodeFrame(frameType.ping, frameFlag.ack, 0, payload));
    else if (type === frameType.settings && !(frame.flags & frameFlag.ack))
      this.#write(encodeFrame(frameType.settings, frameFlag.ack, 0, nothing));
    if ((type === frameType.headers || type === frameType.data) && !this.#isHostile()) this.#widen(id);
  }

  /** Whatever window the settings left, bodies get on. */
  #widen(id: number): void {
    this.#write(
      Buffer.concat([
        encodeNumberFrame(frameType.windowUpdate, 0, 100_000),
        encodeNumberFrame(frameType.windowUpdate, id, 100_000),
      ]),
    );
  }

  #handleData({ stream: id, payload }: Frame): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.parts.push(payload);
    const message = Buffer.concat(stream.parts);
    if (message.length < 5 || message.length < 5 + message.readUInt32BE(1)) return;
    if (this.#isHostile() && this.#random.next() < 0.5) return this.#refuse(id);
    this.#answer(stream, message.subarray(5));
  }

  /** Ends the request without looking at it, in one of the ways that say so, or in silence. */
  #refuse(id: number): void {
    this.#streams.delete(id);
    switch (this.#random.below(5)) {
      case 0:
        return this.#write(
          encodeNumberFrame(frameType.resetStream, id, this.#random.pick([...resetCodes, refusedStream])),
        );
      case 1:
        return this.#write(
          this.#headersFrame(
            id,
            [
              [':status', '200'],
              ['grpc-status', this.#random.pick(['14', '8', '12', '99', 'x'])],
            ],
            true,
          ),
        );
      case 2:
        return this.#write(this.#headersFrame(id, [[':status', this.#random.pick(['503', '404', '100'])]], true));
      case 3:
        return void this.#socket.destroy();
      default: // Silence.
    }
  }

  #answer({ id, path }: OpenStream, message: Buffer): void {
    if (path.endsWith('/Watch')) return this.#serveWatch(id, message);
    const answer = path.endsWith('/Txn') ? this.#model.transact(message) : this.#model.range(message);
    // From here on it has happened: what ends the stream now must not say otherwise.
    this.#sayAll(id, [
      ...this.#begin(id),
      ...this.#message(id, answer),
      this.#headersFrame(
        id,
        [
          ['grpc-status', '0'],
          ['grpc-message', ''],
        ],
        true,
      ),
    ]);
    this.#streams.delete(id);
  }

  #serveWatch(id: number, message: Buffer): void {
    const { created, next } = this.#model.watch(message);
    this.#sayAll(id, [...this.#begin(id), ...this.#message(id, created)]);
    const flush = (): void => {
      const answer = next();
      if (answer !== undefined && this.#streams.has(id)) this.#sayAll(id, this.#message(id, answer));
    };
    this.#watches.push(this.#model.onChange(() => setImmediate(flush)));
    flush();
  }

  #begin(id: number): Buffer[] {
    return [
      this.#headersFrame(
        id,
        [
          [':status', '200'],
          ['content-type', 'application/grpc'],
        ],
        false,
      ),
    ];
  }

  /** The frames in order, but for what is put between them or in the place of the rest. */
  #sayAll(id: number, frames: readonly Buffer[]): void {
    for (const frame of frames) {
      if (this.#isHostile()) this.#write(this.#interrupt(id));
      if (this.#socket.destroyed) return;
      this.#write(frame);
    }
  }

  #interrupt(id: number): Buffer {
    const { below, pick } = {
      below: (max: number) => this.#random.below(max),
      pick: <T>(from: readonly T[]) => this.#random.pick(from),
    };
    switch (below(9)) {
      case 0:
        return encodeNumberFrame(frameType.resetStream, id, pick(resetCodes));
      case 1:
        return this.#goaway();
      case 2:
        return encodeFrame(frameType.data, 0, id, Buffer.alloc(below(3)));
      case 3:
        return encodeSettings([
          [setting.headerTableSize, below(100_000)],
          [setting.initialWindowSize, below(200_000)],
        ]);
      case 4:
        return encodeFrame(
          frameType.headers,
          frameFlag.endHeaders,
          id,
          pick([Buffer.from([0xbe]), Buffer.from([0x3f, 0xe1, 0x1f]), Buffer.from([0x20]), this.#bytes(20)]),
        );
      case 5: {
        this.#socket.destroy();
        return nothing;
      }
      case 6:
        return this.#bytes(40);
      default:
        return this.#junk();
    }
  }

  #goaway(): Buffer {
    this.#isGoingAway = true;
    const payload = Buffer.alloc(8 + this.#random.below(9));
    payload.writeUInt32BE(this.#lastId);
    payload.writeUInt32BE(this.#random.below(14), 4);
    return encodeFrame(frameType.goaway, 0, 0, payload);
  }

  /** Something of a frame's shape, on any stream. */
  #junk(): Buffer {
    const id = this.#random.pick([0, 0, 1, 2, this.#lastId, this.#lastId + 2, 0x7fff_ffff]);
    const type = this.#random.pick([0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 200]);
    const frame = encodeFrame(type, this.#random.below(256), id, this.#bytes(this.#random.pick([0, 4, 5, 6, 8, 60])));
    // Now and then a length that is not true.
    if (this.#random.next() < 0.1) frame.writeUIntBE(this.#random.pick([0, 7, 16_384, 16_385, 0xff_ffff]), 0, 3);
    return frame;
  }

  /** One message of gRPC in DATA frames, cut and padded. */
  #message(id: number, answer: Buffer): Buffer[] {
    const bytes = Buffer.concat([Buffer.from([this.#isHostile() && this.#isHostile() ? 1 : 0, 0, 0, 0, 0]), answer]);
    bytes.writeUInt32BE(answer.length, 1);
    const frames: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + (this.#isHostile() ? 1 + this.#random.below(20) : 16_000));
      at += part.length;
      const padding = this.#isHostile() ? this.#random.below(256) : 0;
      frames.push(
        padding === 0
          ? encodeFrame(frameType.data, 0, id, part)
          : encodeFrame(
              frameType.data,
              frameFlag.padded,
              id,
              Buffer.concat([Buffer.from([padding]), part, Buffer.alloc(padding)]),
            ),
      );
    }
    return frames;
  }

  /** A header block, in several frames now and then, with the sizes of a table that is not used. */
  #headersFrame(id: number, headers: readonly (readonly [string, string])[], isEnd: boolean): Buffer {
    const sizes = this.#isHostile() ? Buffer.from([0x20]) : nothing;
    const block = Buffer.concat([sizes, ...headers.map(([name, value]) => encodeHeader(name, value))]);
    const end = isEnd ? frameFlag.endStream : 0;
    if (!this.#isHostile()) return encodeFrame(frameType.headers, end | frameFlag.endHeaders, id, block);
    const at = this.#random.below(block.length);
    const middle = Array.from({ length: this.#random.below(3) }, () =>
      encodeFrame(frameType.continuation, 0, id, nothing),
    );
    return Buffer.concat([
      encodeFrame(frameType.headers, end, id, block.subarray(0, at)),
      ...middle,
      encodeFrame(frameType.continuation, frameFlag.endHeaders, id, block.subarray(at)),
    ]);
  }

  #bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.#random.below(256)));
  }

  #write(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }
}
