import type { IncomingMessage } from 'node:http';

/** Reads an answer's body; undefined, with the connection ended, when it is larger than the bound. */
export async function answerBody(answer: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  if (Number(answer.headers['content-length'] ?? 0) > bytesMax) {
    answer.destroy();
    return undefined;
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
