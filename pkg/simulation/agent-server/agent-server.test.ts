import assert from 'node:assert/strict';
import https from 'node:https';
import { systemClock } from '../../apimachinery/clock.ts';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { AgentServer } from './agent-server.ts';
import type { FoundLog } from './answer-log.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

describe('AgentServer', () => {
  const logs = new Map<string, FoundLog>();
  let server: AgentServer;
  let port: number;
  before(async () => {
    const { pem, keyPem } = await (await TestAuthority.create()).sign({ subject: 'CN=agent', names: ['127.0.0.1'] });
    server = new AgentServer({
      address: '127.0.0.1',
      certificate: () => ({ cert: pem, key: keyPem }),
      clock: systemClock,
      isRunning: () => false,
      logOf: (...names) => logs.get(names.join('/')) ?? { code: 404, text: 'no container' },
    });
    port = await server.port();
  });
  after(() => server.stop());

  const get = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const request = https.get({ host: '127.0.0.1', port, path, rejectUnauthorized: false }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
      });
      request.on('error', reject);
    });
  const noPrevious = 'none before';
  const line = (seconds: number, text: string) => ({ atMs: START + seconds * 1000, line: text });

  it('shows what a container wrote, as the options ask', async () => {
    logs.set('ns/p/c', {
      lines: [line(0, 'one'), line(1, 'two')],
      previous: [line(-9, 'before')],
      isRunning: true,
      noPrevious,
    });
    const cases = {
      '': '200 one\ntwo\n',
      '?tailLines=1': '200 two\n',
      '?limitBytes=5': '200 one\nt',
      '?timestamps=true&tailLines=1': '200 2026-01-01T00:00:01.000000000Z two\n',
      '?sinceTime=2026-01-01T00:00:01Z': '200 two\n',
      '?previous=true': '200 before\n',
    };
    for (const [query, answer] of Object.entries(cases))
      assert.equal(await get(`/containerLogs/ns/p/c${query}`), answer, query);
    assert.equal(await get('/containerLogs/ns/p/other'), '404 no container\n');
    assert.equal(await get('/healthz'), '200 ok');
    assert.equal(await get('/pods'), '404 404 page not found\n');
  });

  it('follows a log until its container ends', async () => {
    logs.set('ns/f/c', { lines: [line(0, 'one')], previous: undefined, isRunning: true, noPrevious });
    const followed = get('/containerLogs/ns/f/c?follow=true');
    logs.set('ns/f/c', { lines: [line(0, 'one'), line(1, 'two')], previous: undefined, isRunning: false, noPrevious });
    assert.equal(await followed, '200 one\ntwo\n');
    assert.equal(await get('/containerLogs/ns/f/c?previous=true'), '400 none before\n');
  });
});
