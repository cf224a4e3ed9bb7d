#!/usr/bin/env node
/** The `binnacle` command: picks the subcommand; each is loaded when it is named. */
const usage = `binnacle: a cluster control plane that speaks the Kubernetes object API

Usage: binnacle <command> [options]

  up          run a cluster on an embedded store in this directory
  apiserver   run an API server, by default on etcd
  controller-manager
              run the controllers of a cluster
  scheduler   give the pods of a cluster to its nodes
  simulate-nodes
              simulate nodes and their pods
  convert     turn an object on standard input into JSON, YAML or protobuf
  store       verify, repair or compact an embedded store
  node        let a simulated node fail, or bring it back
  version     print the version

  binnacle <command> --help lists the options of a command.
`;

type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).up,
  apiserver: async () => (await import('./apiserver.ts')).apiserver,
  'controller-manager': async () => (await import('./controller-manager.ts')).controllerManager,
  scheduler: async () => (await import('./scheduler.ts')).scheduler,
  'simulate-nodes': async () => (await import('./simulate-nodes.ts')).simulateNodes,
  convert: async () => (await import('./convert.ts')).convert,
  store: async () => (await import('./store.ts')).store,
  node: async () => (await import('./node.ts')).node,
  version: async () => (await import('./version.ts')).version,
};

async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2);
  if (name === '' || name === '-h' || name === '--help' || name === 'help') {
    process.stdout.write(usage);
    return name === '' ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name)
    ? commands[name]
    : name === '--version'
      ? commands['version']
      : undefined;
  if (command === undefined) {
    process.stderr.write(`binnacle: unknown command ${JSON.stringify(name)}\n\n${usage}`);
    return 2;
  }
  return (await command())(args);
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader may stop early, as `head` does. A server continues in any case.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`binnacle: standard output: ${error.message}\n`);
  process.exitCode = 1;
});
process.exitCode = (await main()) || process.exitCode;
