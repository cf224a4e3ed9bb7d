import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { OptionsError } from '../../options/options-error.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { readStoresConfig } from './stores-config.ts';

describe('the files for TLS to storage servers', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-store-tls-'));
  const file = (name: string): string => path.join(dir, name);
  before(async () => {
    const authority = await TestAuthority.create();
    const [client, other] = [
      await authority.sign({ subject: 'CN=client' }),
      await authority.sign({ subject: 'CN=other' }),
    ];
    const files = {
      'ca.crt': authority.pem,
      'half.crt': authority.pem.slice(0, 200),
      'client.crt': client.pem,
      'client.key': client.keyPem,
      'other.key': other.keyPem,
      garbage: 'garbage',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  });
  after(() => rmSync(dir, { recursive: true }));

  const problems = (files: Readonly<Record<string, string>>, servers: string): readonly string[] => {
    const args = Object.entries(files).map(([option, name]) => `--store-${option}=${file(name)}`);
    const options = parseOptions(apiServerOptions, 'apiserver', [`--store-servers=${servers}`, ...args]);
    try {
      readStoresConfig(options, dir);
    } catch (error) {
      assert.ok(error instanceof OptionsError);
      return error.problems.map((line) => line.replaceAll(`${dir}/`, ''));
    }
    return [];
  };

  const cases: readonly (readonly [what: string, files: Readonly<Record<string, string>>, found: readonly string[]])[] =
    [
      ['files that are right', { cafile: 'ca.crt', certfile: 'client.crt', keyfile: 'client.key' }, []],
      ['authorities that are none', { cafile: 'garbage' }, ['--store-cafile=garbage: holds no PEM certificate']],
      [
        'authorities that break off',
        { cafile: 'half.crt' },
        ['--store-cafile=half.crt: holds a PEM certificate that breaks off'],
      ],
      [
        'the key of another certificate',
        { certfile: 'client.crt', keyfile: 'other.key' },
        ['--store-certfile=client.crt: other.key: is not the private key of the certificate in client.crt'],
      ],
      [
        'everything that is wrong',
        { cafile: 'garbage', certfile: 'garbage', keyfile: 'client.key' },
        [
          '--store-cafile=garbage: holds no PEM certificate',
          '--store-certfile=garbage: garbage: holds no PEM certificate',
        ],
      ],
    ];
  for (const [what, files, found] of cases) {
    it(`reports ${what}`, () => {
      for (const servers of ['https://127.0.0.1:1', 'http://127.0.0.1:1'])
        assert.deepEqual(problems(files, servers), found);
    });
  }
});
