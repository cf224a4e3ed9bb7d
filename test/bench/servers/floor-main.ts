/**
 * The floor that Node sets: bare Fastify over TLS that sends a ready buffer, or parses a body and answers with it.
 * Arguments: a directory for the certificate, and a JSON object from path names to sizes in bytes.
 */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { readKeyPair } from '../../../pkg/server/tls/key-pair-files.ts';
import { ensureSelfSigned } from '../../../pkg/server/tls/self-signed.ts';

const [dir, sizesText] = process.argv.slice(2);
if (dir === undefined || sizesText === undefined) throw new Error('arguments: DIR SIZES');
const { cert, key } = readKeyPair(await ensureSelfSigned(dir, ['localhost', '127.0.0.1']));
const app = Fastify({ https: { cert, key } });
for (const [name, bytes] of Object.entries(JSON.parse(sizesText) as Record<string, number>)) {
  const buffer = Buffer.alloc(bytes, 'x');
  app.get(`/${name}`, (_request, reply) => reply.type('application/json').send(buffer));
}
app.post('/create', (request, reply) => reply.code(201).send(request.body));
app.get('/readyz', () => 'ok');
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready at https://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => process.exit(0));
