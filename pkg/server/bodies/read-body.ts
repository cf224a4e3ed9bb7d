import { requestEntityTooLarge } from '../../apimachinery/errors/status-error.ts';
import { unreadable } from '../listener/unreadable.ts';
import type { RawRequest } from '../request/request-context.ts';

/** The first allocation for a body that is longer than its first piece. */
const FIRST_BYTES = 64 * 1024;

/**
 * Reads a request's body to its end. Rejects with 413 as soon as it is longer than `bytesMax`, and with 400 where it
 * breaks off or has another length than it announces. After a rejection nothing reads on.
 */
export function readBody(
  request: RawRequest,
  announcedBytes: number | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(announcedBytes ?? bytesMax);
    const stop = (): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onBroken);
      request.off('close', onBroken);
    };
    const refuse = (error: Error): void => {
      stop();
      reject(error);
    };
    const onData = (piece: Buffer): void => {
      if (body.length + piece.length > bytesMax) refuse(requestEntityTooLarge(`limit is ${bytesMax}`));
      else body.append(piece);
    };
    const onEnd = (): void => {
      if (announcedBytes !== undefined && announcedBytes !== body.length) refuse(unreadable());
      else {
        stop();
        resolve(body.bytes());
      }
    };
    const onBroken = (): void => refuse(unreadable());
    if (request.destroyed) {
      onBroken();
      return;
    }
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('error', onBroken);
    request.on('close', onBroken);
  });
}

/**
 * Pieces in one buffer: as a list, pieces of one byte each would take hundreds of times the memory that the body is
 * counted with.
 */
class GrowingBody {
  private readonly expectedBytes: number;
  private buffer: Buffer | undefined;
  length = 0;

  constructor(expectedBytes: number) {
    this.expectedBytes = expectedBytes;
  }

  append(piece: Buffer): void {
    const { buffer } = this;
    const needed = this.length + piece.length;
    if (buffer === undefined || needed > buffer.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(needed, Math.min(this.expectedBytes, Math.max(FIRST_BYTES, 2 * this.length))),
      );
      buffer?.copy(grown, 0, 0, this.length);
      this.buffer = grown;
    }
    piece.copy(this.buffer!, this.length);
    this.length = needed;
  }

  /** No larger than the body is: it is kept for as long as its request. */
  bytes(): Uint8Array {
    const { buffer, length } = this;
    if (buffer === undefined) return new Uint8Array(0);
    return buffer.length === length ? buffer : Buffer.from(buffer.subarray(0, length));
  }
}
