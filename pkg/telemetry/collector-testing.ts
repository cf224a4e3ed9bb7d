import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As OTLP's JSON form writes spans. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface Export {
  resourceSpans: { resource: { attributes: ReceivedSpan['attributes'] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** A collector on a free port of the loopback that keeps what it is sent. */
export class TestCollector {
  readonly spans: ReceivedSpan[] = [];
  readonly paths: string[] = [];
  readonly services: (string | undefined)[] = [];
  /** Answered to every export. */
  status = 200;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          this.paths.push(request.url ?? '');
          this.take(JSON.parse(Buffer.concat(parts).toString()) as Export);
          response.writeHead(this.status, { 'content-type': 'application/json', connection: 'close' }).end('{}');
        });
    });
  }

  /** Returns the URL to send to. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(sent: Export): void {
    for (const { resource, scopeSpans } of sent.resourceSpans) {
      this.services.push(resource.attributes.find((a) => a.key === 'service.name')?.value.stringValue);
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }
}

/** Attributes by name. */
export function attributesOf(span: ReceivedSpan): Record<string, string | number | undefined> {
  return Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
