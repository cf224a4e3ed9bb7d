/** Odd names in certificates never give another identity. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI, type WhoAmI } from '../fixtures/who-am-i.ts';
import { bmpValue, derValue, PRINTABLE_STRING, T61_STRING, universalValue, UTF8_STRING } from './der-name.ts';

type Subject = readonly Record<string, string[]>[];

interface Case {
  readonly what: string;
  readonly subject: Subject;
  /** The expected user: with groups; undefined where the server may also refuse. */
  readonly user?: string;
  readonly groups?: readonly string[];
}

const long = 'x'.repeat(20_000);

const cases: readonly Case[] = [
  { what: 'an ordinary name', subject: [{ CN: ['carol'] }, { O: ['staff'] }], user: 'carol', groups: ['staff'] },
  { what: 'a NUL after another name', subject: [{ CN: [derValue(UTF8_STRING, 'admin\0.example.com')] }] },
  { what: 'a NUL in a group', subject: [{ CN: ['carol'] }, { O: [derValue(UTF8_STRING, 'system:masters\0x')] }] },
  {
    what: 'a line break that begins another attribute',
    subject: [{ CN: [derValue(UTF8_STRING, 'carol\nO=system:masters')] }],
  },
  { what: 'a carriage return', subject: [{ CN: [derValue(UTF8_STRING, 'carol\r\nO=system:masters\r\n')] }] },
  { what: 'commas', subject: [{ CN: ['carol, O=system:masters'] }], user: 'carol, O=system:masters', groups: [] },
  { what: 'slashes', subject: [{ CN: ['carol/O=system:masters'] }], user: 'carol/O=system:masters', groups: [] },
  { what: 'pluses', subject: [{ CN: ['carol + O=system:masters'] }], user: 'carol + O=system:masters', groups: [] },
  {
    what: 'groups with commas',
    subject: [{ CN: ['carol'] }, { O: ['a,system:masters'] }, { O: ['b;system:masters'] }],
    user: 'carol',
    groups: ['a,system:masters', 'b;system:masters'],
  },
  {
    what: 'an organizational unit',
    subject: [{ CN: ['carol'] }, { OU: ['system:masters'] }],
    user: 'carol',
    groups: [],
  },
  { what: 'a very long name', subject: [{ CN: [derValue(UTF8_STRING, long)] }], user: long },
  {
    what: 'a very long group',
    subject: [{ CN: ['carol'] }, { O: [derValue(UTF8_STRING, `${long}system:masters`)] }],
    user: 'carol',
  },
  { what: 'two names', subject: [{ CN: ['admin'] }, { CN: ['carol'] }], user: 'carol', groups: [] },
  { what: 'an empty name', subject: [{ CN: [derValue(UTF8_STRING, '')] }, { O: ['staff'] }], user: 'system:anonymous' },
  { what: 'an empty name after another', subject: [{ CN: ['admin'] }, { CN: [derValue(UTF8_STRING, '')] }] },
  { what: 'no name', subject: [{ O: ['staff'] }], user: 'system:anonymous' },
  {
    what: 'two-byte characters',
    subject: [{ CN: [bmpValue('carol')] }, { O: [bmpValue('staff')] }],
    user: 'carol',
    groups: ['staff'],
  },
  {
    what: 'four-byte characters',
    subject: [{ CN: [universalValue('carol')] }, { O: ['staff'] }],
    user: 'carol',
    groups: ['staff'],
  },
  { what: 'half a character', subject: [{ CN: [derValue(UTF8_STRING, Buffer.from([0x61, 0xc3]))] }] },
  { what: 'bytes of no text', subject: [{ CN: [derValue(PRINTABLE_STRING, Buffer.from([0x80, 0xff, 0x00]))] }] },
  { what: 'letters of an old code page', subject: [{ CN: [derValue(T61_STRING, Buffer.from([0x61, 0xe9]))] }] },
  {
    what: 'letters that look alike',
    subject: [{ CN: [derValue(UTF8_STRING, 'аdmin')] }, { O: [derValue(UTF8_STRING, 'system:mаsters')] }],
    user: 'аdmin',
    groups: ['system:mаsters'],
  },
  {
    what: 'spaces around',
    subject: [{ CN: [derValue(UTF8_STRING, ' admin ')] }, { O: [derValue(UTF8_STRING, ' system:masters')] }],
    user: ' admin ',
    groups: [' system:masters'],
  },
  {
    what: "an object's own words",
    subject: [{ CN: ['__proto__'] }, { O: ['constructor'] }],
    user: '__proto__',
    groups: ['constructor'],
  },
];

describe('names in certificates of clients', function () {
  this.timeout(60_000);
  let dir: string;
  let authority: TestAuthority;
  let server: TestServer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-names-'));
    authority = await TestAuthority.create('CN=clients');
    writeFileSync(path.join(dir, 'ca.pem'), authority.pem);
    server = await startTestServer({
      args: ['--authorization-mode=AlwaysAllow', `--client-ca-file=${path.join(dir, 'ca.pem')}`],
    });
  });
  after(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  async function ask(subject: Subject, signer = authority): Promise<WhoAmI> {
    const { pem, keyPem } = await signer.sign({ subject, extendedKeyUsages: [CLIENT_AUTH] });
    return whoAmI(server, { certificate: pem, key: keyPem });
  }

  for (const { what, subject, user: expected, groups } of cases) {
    it(`with ${what}`, async () => {
      const { status, user } = await ask(subject);
      assert.ok(status === 201 || status === 401, String(status));
      assert.ok(!(user?.groups ?? []).includes('system:masters'), JSON.stringify(user));
      assert.notEqual(user?.username, 'admin');
      if (expected !== undefined) assert.equal(user?.username, expected);
      if (groups !== undefined) assert.deepEqual(user?.groups, [...groups, 'system:authenticated']);
    });
  }

  it('count for nothing under another authority, whatever it calls itself', async () => {
    const subject: Subject = [{ CN: ['admin'] }, { O: ['system:masters'] }];
    const stranger = await TestAuthority.create('CN=clients');
    assert.equal((await ask(subject, stranger)).status, 401);
    // A client's certificate signs none.
    const client = await authority.sign({ subject: 'CN=carol', extendedKeyUsages: [CLIENT_AUTH] });
    const below = await client.sign({ subject, extendedKeyUsages: [CLIENT_AUTH] });
    assert.equal((await whoAmI(server, { certificate: below.pem + client.pem, key: below.keyPem })).status, 401);
  });
});
