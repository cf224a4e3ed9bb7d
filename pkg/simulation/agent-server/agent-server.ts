import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../apimachinery/clock.ts';
import { answerLog, type FoundLog } from './answer-log.ts';
import { answerForwarded, PORT_FORWARD_PROTOCOL, type ForwardedPod } from './port-forward.ts';
import { runCommand, type CommandStreams } from './run-command.ts';
import { SpdySession, type SpdyStream } from './spdy-session.ts';
import { acceptKey, channel, WebSocketSession } from './web-socket-session.ts';

/** A certificate for the address that simulated nodes have, as PEM. */
export interface AgentCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface AgentServerOptions {
  readonly address: string;
  readonly certificate: () => AgentCertificate;
  readonly clock: Clock;
  /** Of a container on a simulated node. */
  readonly logOf: (namespace: string, pod: string, container: string) => FoundLog;
  /** Whether a pod on a simulated node runs. */
  readonly isRunning: (namespace: string, pod: string) => boolean;
}

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];
const SPDY_PROTOCOL = 'v4.channel.k8s.io';
const SOCKETS_MAX = 1000;

/**
 * The agents of all simulated nodes as one HTTPS server on a free port: logs, commands over SPDY/3.1 and WebSocket, and
 * forwarded ports over SPDY/3.1, with the answers of containers that are not there. It runs nothing and authenticates
 * no client: all that it shows is what simulated containers write.
 */
export class AgentServer {
  private readonly options: AgentServerOptions;
  private readonly sockets = new Set<Socket>();
  private listening: Promise<Server> | undefined;

  constructor(options: AgentServerOptions) {
    this.options = options;
  }

  /** The port; the first call starts the server. */
  async port(): Promise<number> {
    this.listening ??= this.listen();
    return ((await this.listening).address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (this.listening === undefined) return;
    const server = await this.listening;
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async listen(): Promise<Server> {
    const server = createServer(this.options.certificate(), (request, response) => this.answer(request, response));
    server.maxConnections = SOCKETS_MAX;
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => void socket.destroy());
      this.upgrade(request, socket, head);
    });
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, this.options.address, resolve);
    });
    // A cluster that only runs simulated nodes ends all the same.
    server.unref();
    return server;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { segments, query } = target(request);
    const [kind, namespace = '', pod = '', container = ''] = segments;
    if (kind === 'healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      return;
    }
    const find = (): FoundLog => this.options.logOf(namespace, pod, container);
    if (kind === 'containerLogs') answerLog(find, { query, response, clock: this.options.clock });
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { segments, query } = target(request);
    const [kind = '', namespace = '', pod = '', container = ''] = segments;
    if (kind === 'portForward') return this.forwardPorts(request, socket, head, { namespace, name: pod });
    if (kind !== 'exec' && kind !== 'attach') return refuse(socket, '404 Not Found', '404 page not found\n');
    const log = this.options.logOf(namespace, pod, container);
    if ('code' in log || !log.isRunning)
      return refuse(socket, '404 Not Found', `container ${container} is not running\n`);
    // What attaches to a container sees what it wrote so far.
    const command = kind === 'exec' ? query.getAll('command') : log.lines;
    const run = (streams: CommandStreams): Promise<void> => runCommand(command, streams, this.options.clock);
    if (request.headers.upgrade?.toLowerCase() === 'websocket') webSocketCommand(request, socket, head, query, run);
    else spdyCommand(socket, head, query, run);
  }

  private forwardPorts(request: IncomingMessage, socket: Socket, head: Buffer, pod: ForwardedPod): void {
    if (!this.options.isRunning(pod.namespace, pod.name))
      return refuse(socket, '404 Not Found', `pod ${pod.name} is not running\n`);
    // Clients that tunnel through WebSocket come back with SPDY.
    if (request.headers.upgrade?.toLowerCase() !== 'spdy/3.1')
      return refuse(socket, '400 Bad Request', 'ports are forwarded over SPDY/3.1\n');
    switchTo(socket, 'SPDY/3.1', { 'X-Stream-Protocol-Version': PORT_FORWARD_PROTOCOL });
    new SpdySession(socket, head, (stream) => answerForwarded(stream, pod, this.options.clock));
  }
}

type Run = (streams: CommandStreams) => Promise<void>;

function webSocketCommand(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  query: URLSearchParams,
  run: Run,
): void {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const protocol = PROTOCOLS.find((known) => offered.includes(known));
  if (protocol === undefined) return refuse(socket, '403 Forbidden', 'no protocol in common\n');
  switchTo(socket, 'websocket', {
    'Sec-WebSocket-Accept': acceptKey(request.headers['sec-websocket-key'] ?? ''),
    'Sec-WebSocket-Protocol': protocol,
  });
  const session = new WebSocketSession(socket, head, protocol);
  for (const number of [channel.stdout, channel.stderr]) session.sendOn(number, Buffer.alloc(0));
  session.stdin.resume();
  void run({
    stdout: query.has('output') ? session.channel(channel.stdout) : undefined,
    stderr: query.has('error') ? session.channel(channel.stderr) : undefined,
    error: session.channel(channel.error),
  }).then(() => session.close());
}

function spdyCommand(socket: Socket, head: Buffer, query: URLSearchParams, run: Run): void {
  const asked = (['input', 'output', 'error'] as const).filter((name) => query.has(name));
  const wanted = ['error', ...asked.map((name) => ({ input: 'stdin', output: 'stdout', error: 'stderr' })[name])];
  switchTo(socket, 'SPDY/3.1', { 'X-Stream-Protocol-Version': SPDY_PROTOCOL });
  const streams = new Map<string, SpdyStream>();
  let isRunning = false;
  const session = new SpdySession(socket, head, (stream) => {
    stream.resume();
    streams.set(stream.headers.get('streamtype') ?? '', stream);
    if (isRunning || !wanted.every((type) => streams.has(type))) return;
    isRunning = true;
    const [stdout, stderr, error] = ['stdout', 'stderr', 'error'].map((type) => streams.get(type));
    void run({ stdout, stderr, error: error! }).then(() => session.close());
  });
}

function target(request: IncomingMessage): { segments: readonly string[]; query: URLSearchParams } {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://agent');
  return { segments: pathname.split('/').slice(1).map(decoded), query: searchParams };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It names nothing that is here.
    return segment;
  }
}

function switchTo(socket: Socket, protocol: string, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries({ Connection: 'Upgrade', Upgrade: protocol, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
}

function refuse(socket: Socket, status: string, text: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
