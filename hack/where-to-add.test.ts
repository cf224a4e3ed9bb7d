import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const table = /## Where to add\n([\s\S]*?)\n## /.exec(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'))![1]!;

/** A copy of the tree, in which files are touched only where the row of the table for `what` names them. */
class TreeCopy {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'binnacle-where-to-add-'));

  constructor() {
    const files = execFileSync(
      'git',
      ['ls-files', '-co', '--exclude-standard', 'pkg', 'cmd', 'proto', 'hack', 'docs'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    const others = ['package.json', 'tsconfig.json', '.mocharc.json'];
    for (const file of [...files.split('\n').filter((name) => name !== ''), ...others]) {
      if (existsSync(path.join(root, file))) cpSync(path.join(root, file), path.join(this.dir, file));
    }
    symlinkSync(path.join(root, 'node_modules'), path.join(this.dir, 'node_modules'));
  }

  add(what: string, file: string, text: string): void {
    assertNamed(what, file);
    assert(!existsSync(path.join(this.dir, file)), `${file} exists already`);
    mkdirSync(path.dirname(path.join(this.dir, file)), { recursive: true });
    writeFileSync(path.join(this.dir, file), text);
  }

  /** Puts a text behind the first place where `after` stands. */
  insert(what: string, file: string, after: string, text: string): void {
    assertNamed(what, file);
    const before = readFileSync(path.join(this.dir, file), 'utf8');
    assert(before.includes(after), `${file} has no ${after}`);
    writeFileSync(
      path.join(this.dir, file),
      before.replace(after, () => `${after}${text}`),
    );
  }

  prepend(what: string, file: string, text: string): void {
    assertNamed(what, file);
    writeFileSync(path.join(this.dir, file), `${text}${readFileSync(path.join(this.dir, file), 'utf8')}`);
  }

  run(...command: readonly [string, ...string[]]): void {
    const [program, ...args] = command;
    try {
      execFileSync(path.join(root, 'node_modules/.bin', program), args, {
        cwd: this.dir,
        encoding: 'utf8',
        timeout: 240_000,
      });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      assert.fail(`${command.join(' ')}:\n${stdout}${stderr}`);
    }
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Paths of a row: `<group>` and the like stand for a name, what ends with a slash for all below. */
function assertNamed(what: string, file: string): void {
  const row = table.split('\n').find((line) => line.startsWith(`| ${what} |`));
  assert(row !== undefined, `the table has no row for ${what}`);
  const patterns = [...row.matchAll(/`((?:pkg|proto|docs)\/[^`]+)`/g)].map(([, named]) => {
    const names = named!.replace(/[.]/g, '\\.').replace(/<[a-z]+>/g, '[a-z0-9-]+');
    return new RegExp(`^${names}${named!.endsWith('/') ? '.+' : ''}$`);
  });
  assert(
    patterns.some((pattern) => pattern.test(file)),
    `the row of ${what} does not name ${file}`,
  );
}

function proto(group: string, version: string, kind: string): string {
  return `syntax = "proto2";

package ${group.split('.')[0]}.${version};

import "options.proto";
import "meta/v1/object-meta.proto";

option (group) = "${group}";
option (version) = "${version}";

// A signal that one runner hands to the next.
message ${kind} {
  option (kind) = true;
  option (namespaced) = true;
  // Name, labels, annotations and the other metadata of the object.
  optional meta.v1.ObjectMeta metadata = 1 [(omitempty) = true];
  // Who has it.
  optional ${kind}Spec spec = 2 [(omitempty) = true];
}

// A list of ${kind} objects.
message ${kind}List {
  option (kind) = true;
  // Resource version of the list and, when the answer is one page of several, how to get the next.
  optional meta.v1.ListMeta metadata = 1 [(omitempty) = true];
  // The objects of the list.
  repeated ${kind} items = 2 [(required) = true];
}

// Who has it.
message ${kind}Spec {
  // The runner. Required.
  optional string runner = 1 [(required) = true];
}
`;
}

function definition(group: string, kind: string): string {
  const lower = kind.toLowerCase();
  const folder = group.split('.')[0];
  return `import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ${kind} } from '../../../generated/types/${folder}-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

function validate({ spec }: ${kind}, errors: FieldErrors): void {
  if (spec.runner === '') errors.required(field('spec').child('runner'), '');
}

export const ${lower} = defineResource<${kind}>({
  group: '${group}',
  resource: '${lower}s',
  kind: '${kind}',
  singular: '${lower}',
  namespaced: true,
  hub: '${group}/v1',
  storageVersion: '${group}/v1',
  storagePath: '${lower}s',
  versions: [{ groupVersion: '${group}/v1', message: '${folder}/v1.${kind}' }],
  validateName: nameIsDns1123Subdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  table: {
    columns: [NAME_COLUMN, AGE_COLUMN],
    row: ({ metadata }, nowMs) => ({ cells: [metadata.name ?? '', age(metadata.creationTimestamp, nowMs)] }),
  },
});
`;
}

function definitionTest(group: string, kind: string): string {
  const lower = kind.toLowerCase();
  return `import assert from 'node:assert/strict';
import { allResources } from '../../all-resources.ts';
import { create } from '../../kind-testing.ts';
import { ${lower} } from './${lower}.ts';

describe('${lower}', () => {
  const body = (runner: string) => ({ metadata: { name: 'b' }, spec: { runner } });

  it('is known and validated', () => {
    assert(allResources.includes(${lower}));
    assert.deepEqual(create(${lower}, '${group}/v1', body('r')).texts, []);
    assert.deepEqual(create(${lower}, '${group}/v1', body('')).texts, ['spec.runner: Required value']);
  });
});
`;
}

describe('the table of where to add', () => {
  let tree: TreeCopy;
  before(() => {
    tree = new TreeCopy();
  });
  after(() => tree.remove());

  it('names every file that a kind, a group, a plugin and an authenticator need', function () {
    this.timeout(600_000);
    addKind('a kind', 'coordination.k8s.io', 'Baton');
    tree.insert('a kind', 'pkg/api/coordination/resources.ts', 'resources: [', 'baton, ');
    tree.prepend('a kind', 'pkg/api/coordination/resources.ts', "import { baton } from './baton/baton.ts';\n");
    addToken('pkg/api/coordination/tokens.ts', 'baton');

    addKind('a kind', 'relay.example.com', 'Leg');
    tree.add(
      'a kind',
      'pkg/api/relay/resources.ts',
      "import type { ApiGroup } from '../api-group.ts';\nimport { leg } from './leg/leg.ts';\n\nexport const relayGroup: ApiGroup = { name: 'relay.example.com', priority: 16050, resources: [leg] };\n",
    );
    tree.add('a kind', 'pkg/api/relay/tokens.ts', "import { tokenOf } from '../resource-definition.ts';\n");
    addToken('pkg/api/relay/tokens.ts', 'leg');
    tree.insert('a group', 'pkg/api/all-resources.ts', 'ApiGroup[] = [', '\n  relayGroup,');
    tree.prepend('a group', 'pkg/api/all-resources.ts', "import { relayGroup } from './relay/resources.ts';\n");

    addPlugin();
    addAuthenticator();

    tree.run('tsx', 'hack/generate/main.ts');
    writeFileSync(
      path.join(tree.dir, 'tsconfig.sources.json'),
      JSON.stringify({
        extends: './tsconfig.json',
        include: ['pkg', 'cmd'],
        exclude: ['**/*.test.ts', '**/*testing.ts', 'pkg/server/api-page/browser'],
      }),
    );
    tree.run('tsc', '--noEmit', '-p', 'tsconfig.sources.json');
    tree.run(
      'mocha',
      'pkg/api/coordination/baton/baton.test.ts',
      'pkg/api/relay/leg/leg.test.ts',
      'pkg/api/tokens.test.ts',
      'pkg/admission/build-admission.test.ts',
      'pkg/authentication/build-authenticator.test.ts',
      'pkg/authentication/password-of-the-day/authenticator.test.ts',
    );
  });

  function addKind(what: string, group: string, kind: string): void {
    const folder = group.split('.')[0]!;
    const lower = kind.toLowerCase();
    tree.add(what, `proto/${folder}/v1/${lower}.proto`, proto(group, 'v1', kind));
    tree.add(what, `pkg/api/${folder}/${lower}/${lower}.ts`, definition(group, kind));
    tree.add(what, `pkg/api/${folder}/${lower}/${lower}.test.ts`, definitionTest(group, kind));
  }

  function addToken(file: string, kind: string): void {
    tree.insert(
      'a kind',
      file,
      "import { tokenOf } from '../resource-definition.ts';\n",
      `import { ${kind} } from './${kind}/${kind}.ts';\nexport const ${kind}s = tokenOf(${kind});\n`,
    );
  }

  function addPlugin(): void {
    const what = 'an admission plugin';
    tree.add(
      what,
      'pkg/admission/always-late/plugin.ts',
      "import type { AdmissionPlugin } from '../admission.ts';\n\nexport function alwaysLatePlugin(): AdmissionPlugin {\n  return { name: 'AlwaysLate', validate: () => undefined };\n}\n",
    );
    tree.insert(
      what,
      'pkg/admission/plugins.ts',
      'export const admissionPlugins = [',
      "\n  { name: 'AlwaysLate', defaultOn: false },",
    );
    tree.insert(
      what,
      'pkg/admission/make-plugin.ts',
      'Record<PluginName, Maker>> = {',
      '\n  AlwaysLate: () => alwaysLatePlugin(),',
    );
    tree.prepend(what, 'pkg/admission/make-plugin.ts', "import { alwaysLatePlugin } from './always-late/plugin.ts';\n");
    tree.insert(what, 'docs/admission.md', '|---|---|---|', '\n| AlwaysLate | no | Nothing |');
  }

  function addAuthenticator(): void {
    const what = 'an authenticator';
    tree.add(
      what,
      'pkg/authentication/password-of-the-day/authenticator.ts',
      "import type { RequestAuthenticator } from '../authenticator.ts';\n\nexport function passwordOfTheDayAuthenticator(): RequestAuthenticator {\n  return {\n    name: 'PasswordOfTheDay',\n    authenticate: ({ headers }) => (headers['x-password'] === 'friend' ? { user: { name: 'friend', groups: [] } } : undefined),\n  };\n}\n",
    );
    tree.add(
      what,
      'pkg/authentication/password-of-the-day/authenticator.test.ts',
      "import assert from 'node:assert/strict';\nimport { passwordOfTheDayAuthenticator } from './authenticator.ts';\n\nit('knows friends', async () => {\n  const found = await passwordOfTheDayAuthenticator().authenticate({ headers: { 'x-password': 'friend' } } as never);\n  assert.equal(found?.user.name, 'friend');\n});\n",
    );
    tree.insert(
      what,
      'pkg/authentication/build-authenticator.ts',
      'const ways = present([',
      '\n    passwordOfTheDayAuthenticator(),',
    );
    tree.prepend(
      what,
      'pkg/authentication/build-authenticator.ts',
      "import { passwordOfTheDayAuthenticator } from './password-of-the-day/authenticator.ts';\n",
    );
  }
});
