/**
 * Follows the body of an HTTP/1.1 answer over the pieces in which it arrives: how long it is and where it ends, without
 * looking inside.
 */
export interface BodyScanner {
  /** Body bytes seen so far, framing not counted. */
  readonly bytes: number;
  /** Takes `piece` from `start`; returns true once the body is complete. `keep` is given each span of body bytes. */
  scan(piece: Buffer, start: number, end: number, keep?: (span: Buffer) => void): boolean;
}

/** A body behind Content-Length. */
export class SizedBody implements BodyScanner {
  bytes = 0;
  private readonly length: number;

  constructor(length: number) {
    this.length = length;
  }

  scan(piece: Buffer, start: number, end: number, keep?: (span: Buffer) => void): boolean {
    this.bytes += end - start;
    if (end > start) keep?.(piece.subarray(start, end));
    return this.bytes >= this.length;
  }
}

const LF = 0x0a;

/** A body in chunks, without trailers. */
export class ChunkedBody implements BodyScanner {
  bytes = 0;
  private sizeLine = '';
  private remaining = 0;
  private state: 'size' | 'data' | 'end of data' | 'end of body' = 'size';

  scan(piece: Buffer, start: number, end: number, keep?: (span: Buffer) => void): boolean {
    let at = start;
    while (at < end) {
      if (this.state === 'data') {
        const stop = Math.min(end, at + this.remaining);
        keep?.(piece.subarray(at, stop));
        this.bytes += stop - at;
        this.remaining -= stop - at;
        at = stop;
        if (this.remaining === 0) this.state = 'end of data';
        continue;
      }
      const lineEnd = piece.indexOf(LF, at);
      const stop = lineEnd < 0 || lineEnd >= end ? end : lineEnd + 1;
      if (this.state === 'size') this.sizeLine += piece.toString('latin1', at, stop);
      at = stop;
      if (lineEnd < 0 || lineEnd >= end) return false;
      if (this.state === 'end of body') return true;
      if (this.state === 'end of data') this.state = 'size';
      else this.startChunk();
    }
    return false;
  }

  private startChunk(): void {
    this.remaining = Number.parseInt(this.sizeLine, 16);
    if (Number.isNaN(this.remaining)) throw new Error(`not a chunk size: ${JSON.stringify(this.sizeLine)}`);
    this.sizeLine = '';
    this.state = this.remaining === 0 ? 'end of body' : 'data';
  }
}
