import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { OptionsError } from '../../options/options-error.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { nodeAgentSettings, readNodeAgentConfig, type NodeAgentSettings } from './node-agent-settings.ts';

describe('nodeAgentSettings', () => {
  let dir: string;
  let authority: TestAuthority;
  let pair: TestAuthority;
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const read = (...args: string[]): NodeAgentSettings =>
    nodeAgentSettings(
      readNodeAgentConfig(parseOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:1', ...args])),
    );
  const shown = (settings: NodeAgentSettings): object => ({ ...settings, tls: settings.tls() });
  function problems(...args: string[]): readonly string[] {
    try {
      read(...args);
    } catch (error) {
      assert.ok(error instanceof OptionsError);
      return error.problems;
    }
    return [];
  }

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-agents-'));
    authority = await TestAuthority.create();
    pair = await authority.sign({ subject: 'CN=apiserver' });
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('have the defaults of the options', () => {
    assert.deepEqual(shown(read()), {
      https: true,
      addressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
      port: 10250,
      dialTimeoutMs: 5000,
      tls: {},
    });
  });

  it('follow the options', () => {
    const ca = authority.pem + pair.pem;
    const settings = read(
      '--nodeagent-https=false',
      '--nodeagent-port=1',
      '--nodeagent-timeout=1m',
      '--nodeagent-preferred-address-types=ExternalIP,Hostname',
      `--nodeagent-certificate-authority=${file('ca', ca)}`,
      `--nodeagent-client-certificate=${file('crt', pair.pem)}`,
      `--nodeagent-client-key=${file('key', pair.keyPem)}`,
    );
    assert.deepEqual(shown(settings), {
      https: false,
      addressTypes: ['ExternalIP', 'Hostname'],
      port: 1,
      dialTimeoutMs: 60_000,
      tls: { ca, certificate: pair.pem, key: pair.keyPem },
    });
  });

  it('follow the files, and keep the previous content where a change is broken or incomplete', async () => {
    const next = await authority.sign({ subject: 'CN=next' });
    const warnings: string[] = [];
    const [ca, crt, key] = [file('ca', authority.pem), file('crt', pair.pem), file('key', pair.keyPem)];
    const options = parseOptions(apiServerOptions, 'apiserver', [
      '--store-servers=http://127.0.0.1:1',
      `--nodeagent-certificate-authority=${ca}`,
      `--nodeagent-client-certificate=${crt}`,
      `--nodeagent-client-key=${key}`,
    ]);
    let now = 0;
    const settings = nodeAgentSettings(
      readNodeAgentConfig(options),
      (message) => warnings.push(message),
      () => now,
    );
    const tls = () => {
      now += 5000;
      return settings.tls();
    };
    const first = { ca: authority.pem, certificate: pair.pem, key: pair.keyPem };
    assert.deepEqual(tls(), first);
    file('crt', next.pem);
    for (let i = 0; i < 2; i++) assert.deepEqual(tls(), first);
    assert.deepEqual(warnings, [
      `--nodeagent-client-key=${key}: is not the key of the certificate in --nodeagent-client-certificate`,
    ]);
    file('key', next.keyPem);
    assert.deepEqual(tls(), { ca: authority.pem, certificate: next.pem, key: next.keyPem });
    rmSync(ca);
    assert.deepEqual(tls().ca, authority.pem);
    assert.deepEqual(warnings.slice(1), [`--nodeagent-certificate-authority=${ca}: holds no PEM certificate`]);
    file('ca', pair.pem);
    assert.deepEqual(tls().ca, pair.pem);
  });

  it('follow the files although the clock was set back', () => {
    const ca = file('ca', authority.pem);
    const settings = read(`--nodeagent-certificate-authority=${ca}`);
    const [wall, steady] = [Date.now, performance.now];
    try {
      file('ca', pair.pem);
      Date.now = () => wall() - 3_600_000;
      performance.now = () => steady.call(performance) + 5000;
      assert.deepEqual(settings.tls(), { ca: pair.pem });
    } finally {
      [Date.now, performance.now] = [wall, steady];
    }
  });

  it('need valid files, and report all errors at once, without the content', () => {
    const [empty, broken, other] = [
      file('empty', ''),
      file('broken', authority.pem.replace(/\n[^-]{10}/, '\nAAAAAAAAAA')),
      file('other', authority.keyPem),
    ];
    assert.deepEqual(
      problems(
        `--nodeagent-certificate-authority=${empty}`,
        `--nodeagent-client-certificate=${broken}`,
        `--nodeagent-client-key=${file('crt2', pair.pem)}`,
      ),
      [
        `--nodeagent-certificate-authority=${empty}: holds no PEM certificate`,
        `--nodeagent-client-certificate=${broken}: holds no PEM certificate`,
        `--nodeagent-client-key=${path.join(dir, 'crt2')}: holds no PEM private key`,
      ],
    );
    assert.deepEqual(
      problems(`--nodeagent-client-certificate=${file('crt', pair.pem)}`, `--nodeagent-client-key=${other}`),
      [`--nodeagent-client-key=${other}: is not the key of the certificate in --nodeagent-client-certificate`],
    );
  });
});
