import path from 'node:path';
import { serve } from './serve.ts';

/** Runs everything on the embedded store, for laptops and tests. */
export function up(args: readonly string[]): Promise<number> {
  return serve(
    {
      component: 'up',
      usage: 'Usage: binnacle up [options]\n\nRuns an API server that keeps its data in this directory.',
      dirOf: (options) => path.resolve(options.string('data-dir')),
      greeting: (running, options) => {
        const shown = path.relative(process.cwd(), running.kubeconfig.path);
        return [
          `Binnacle is ready at ${running.url}`,
          `  data        ${path.resolve(options.string('data-dir'))}`,
          `  kubeconfig  ${running.kubeconfig.path}`,
          '',
          'In another terminal:',
          `  export KUBECONFIG=${shown.startsWith('..') ? running.kubeconfig.path : `$PWD/${shown}`}`,
          '  kubectl get namespaces',
          '',
          'Ctrl-C stops it; the data stays.',
          '',
        ].join('\n');
      },
    },
    args,
  );
}
