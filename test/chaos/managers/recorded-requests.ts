import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** One answered request, as an audit log has it. */
export interface RecordedRequest {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
}

export async function* recordedRequests(files: readonly string[]): AsyncGenerator<RecordedRequest> {
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      // The last line of a server that was killed may be cut.
      if (line.startsWith('{') && line.endsWith('}')) yield JSON.parse(line) as RecordedRequest;
    }
  }
}

/** Requests of programs and controllers that the servers have forbidden, each once. */
export async function refusals(files: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { verb, requestURI, user, responseStatus } of recordedRequests(files))
    if (responseStatus?.code === 403 && user.username.startsWith('system:'))
      found.add(`${user.username}: ${verb} ${requestURI.replace(/\?.*/, '')}: ${responseStatus.message ?? ''}`);
  return [...found];
}
