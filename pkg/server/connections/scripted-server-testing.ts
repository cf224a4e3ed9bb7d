import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Backend } from './backend.ts';

/** For tests: a server on 127.0.0.1 whose every connection follows a script of the test, byte by byte. */
export class ScriptedServer {
  /** Open connections, oldest first. */
  readonly sockets: Socket[] = [];
  private readonly server: Server;
  private readonly arrived: string[] = [];
  private wake: () => void = () => undefined;

  private constructor(script: (socket: Socket, received: string) => void) {
    this.server = createServer((socket) => {
      const at = this.arrived.push('') - 1;
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.splice(this.sockets.indexOf(socket), 1);
        this.wake();
      });
      socket.on('data', (bytes) => {
        this.arrived[at] += bytes.toString('latin1');
        script(socket, this.arrived[at]!);
        this.wake();
      });
    });
  }

  /** `script` is called with all bytes of a connection, whenever more arrive. */
  static async start(script: (socket: Socket, received: string) => void = () => undefined): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(script);
    scripted.server.listen(0, '127.0.0.1');
    await once(scripted.server, 'listening');
    return scripted;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The bytes of each connection so far. */
  get received(): readonly string[] {
    return this.arrived;
  }

  backend(more: Partial<Backend> = {}): Backend {
    return { scheme: 'http', host: '127.0.0.1', port: this.port, isTrusted: true, dialTimeoutMs: 5000, ...more };
  }

  /** Waits until a condition holds; checked whenever bytes come or a connection closes. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.slice()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
