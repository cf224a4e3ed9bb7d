import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setNodeFailedBy } from '../../pkg/simulation/fail-node.ts';

const usage = `Usage: binnacle node fail|recover NAME [--kubeconfig FILE]

Lets a simulated node fail, as a machine does that is switched off, or brings it back.

  fail       its agent says nothing any more, and its pods stay as they are
  recover    its agent reports again

FILE is by default $KUBECONFIG, else that of \`binnacle up\` in this directory.

Exit status: 0 when it is done, 1 when it cannot be done, 2 for wrong options.
`;

/** Where `up` writes it. */
const LOCAL_FILE = '.binnacle/kubeconfig';

export async function node(args: readonly string[]): Promise<number> {
  let values: { kubeconfig?: string; help?: boolean };
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { kubeconfig: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }));
  } catch (error) {
    return wrong((error as Error).message);
  }
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const [action = '', name = '', ...more] = positionals;
  if (action !== 'fail' && action !== 'recover') return wrong('what to do with the node: fail, recover');
  if (name === '' || more.length > 0) return wrong('one node is to be named');
  const file = values.kubeconfig ?? defaultFile();
  if (file === undefined) return wrong('--kubeconfig is needed: there is no cluster in this directory');
  try {
    await setNodeFailedBy(file, name, action === 'fail');
  } catch (error) {
    process.stderr.write(`binnacle node ${action}: ${(error as Error).message}\n`);
    return 1;
  }
  process.stdout.write(`node ${name} ${action === 'fail' ? 'has failed' : 'is back'}\n`);
  return 0;
}

function defaultFile(): string | undefined {
  const [first = ''] = (process.env['KUBECONFIG'] ?? '').split(path.delimiter);
  if (first !== '') return first;
  return existsSync(LOCAL_FILE) ? LOCAL_FILE : undefined;
}

function wrong(problem: string): number {
  process.stderr.write(`binnacle node: ${problem}\n\n${usage}`);
  return 2;
}
