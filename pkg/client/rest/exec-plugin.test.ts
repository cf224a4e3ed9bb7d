import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecSettings } from '../exec-settings.ts';
import { ConnectionError } from './client.ts';
import { ExecPlugin } from './exec-plugin.ts';

const CLUSTER = { server: new URL('https://api.example:6443'), ca: 'PEM', serverName: 'api', credentials: {} };

describe('ExecPlugin', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'binnacle-exec-plugin-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** A plugin that runs the script; `answer` writes an ExecCredential. */
  function settings(script: string, rest: Partial<ExecSettings> = {}): ExecSettings {
    const file = path.join(dir, 'plugin.cjs');
    writeFileSync(
      file,
      `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(path.join(dir, 'runs'))}, 'x');
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const answer = (status) => console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: info.apiVersion, status }));
${script}`,
    );
    return {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: [file],
      env: {},
      provideClusterInfo: false,
      ...rest,
    };
  }
  const runs = (): number => (existsSync(path.join(dir, 'runs')) ? readFileSync(path.join(dir, 'runs')).length : 0);

  for (const version of ['v1', 'v1beta1']) {
    it(`gets the request and the cluster in ${version}`, async () => {
      const told = settings(`answer({ token: JSON.stringify([process.argv.slice(2), process.env.OWN, info]) })`, {
        apiVersion: `client.authentication.k8s.io/${version}`,
        env: { OWN: 'own' },
        provideClusterInfo: true,
        clusterExtension: { audience: 'x' },
      });
      const { token } = await new ExecPlugin({ ...told, args: [...told.args, 'a', 'b'] }, CLUSTER).credentials();
      const cluster = {
        server: 'https://api.example:6443',
        'tls-server-name': 'api',
        'certificate-authority-data': Buffer.from('PEM').toString('base64'),
        config: { audience: 'x' },
      };
      const info = { kind: 'ExecCredential', apiVersion: told.apiVersion, spec: { interactive: false, cluster } };
      assert.deepEqual(JSON.parse(token!), [['a', 'b'], 'own', info]);
    });
  }

  it('gets no cluster where that is not requested', async () => {
    const plugin = new ExecPlugin(settings(`answer({ token: JSON.stringify(info.spec) })`), CLUSTER);
    assert.deepEqual(await plugin.credentials(), { token: '{"interactive":false}' });
  });

  it('runs once for all who wait, and again when its credentials expire or are discarded', async () => {
    let nowMs = Date.parse('2030-01-01T00:00:00Z');
    const script = `answer({ token: String(fs.readFileSync(${JSON.stringify('RUNS')}).length), expirationTimestamp: '2030-01-01T00:01:00Z' })`;
    const told = settings(script.replace('RUNS', path.join(dir, 'runs')));
    const plugin = new ExecPlugin(told, CLUSTER, () => nowMs);
    const all = await Promise.all([plugin.credentials(), plugin.credentials(), plugin.credentials()]);
    assert.deepEqual(all, [{ token: '1' }, { token: '1' }, { token: '1' }]);
    nowMs += 59_000;
    assert.deepEqual(await plugin.credentials(), { token: '1' });
    nowMs += 1000;
    assert.deepEqual(await plugin.credentials(), { token: '2' });
    nowMs -= 30_000;
    plugin.discard();
    assert.deepEqual(await plugin.credentials(), { token: '3' });
    assert.equal(runs(), 3);
  });

  for (const [what, script, problem] of [
    ['fails', `console.log('s3cret'); process.exit(3)`, /failed with code 3/],
    ['writes no JSON', `console.log('s3cret')`, /its output is no JSON/],
    [
      'answers in another version',
      `info.apiVersion = 'x/v2'; answer({ token: 's3cret' })`,
      /no ExecCredential of client/,
    ],
    ['has no status', `answer(undefined)`, /its output has no status/],
    ['has nothing to show', `answer({})`, /neither token nor certificate/],
    ['has a certificate without a key', `answer({ clientCertificateData: 's3cret' })`, /must come together/],
    ['knows no time', `answer({ token: 's3cret', expirationTimestamp: 'soon' })`, /expirationTimestamp is no time/],
    [
      'writes too much',
      `process.stdout.write('s3cret'.repeat(1e6))`,
      /wrote too much|ERR_CHILD_PROCESS_STDIO_MAXBUFFER/,
    ],
  ] as const) {
    it(`that ${what} is reported without what it wrote, and run again`, async () => {
      const plugin = new ExecPlugin(settings(script), CLUSTER);
      const failed = (error: Error): boolean => {
        assert(error instanceof ConnectionError);
        assert.match(error.message, problem);
        return !error.message.includes('s3cret');
      };
      await assert.rejects(plugin.credentials(), failed);
      await assert.rejects(plugin.credentials(), failed);
      assert.equal(runs(), 2);
    });
  }

  it('that is not installed is reported with the hint', async () => {
    const absent = { ...settings(''), command: path.join(dir, 'absent'), installHint: 'install it so' };
    await assert.rejects(new ExecPlugin(absent, CLUSTER).credentials(), /is not found\n\ninstall it so/);
  });
});
