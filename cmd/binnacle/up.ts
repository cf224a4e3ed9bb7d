import path from 'node:path';
import { upOptions } from '../../pkg/options/up-options.ts';
import { serve } from './serve.ts';

/** Runs everything on the embedded store, for laptops and tests. */
export function up(args: readonly string[]): Promise<number> {
  return serve(
    {
      component: 'up',
      options: upOptions,
      usage:
        'Usage: binnacle up [options]\n\nRuns a cluster that keeps its data in this directory: an API server, controllers, a scheduler and simulated nodes.',
      dirOf: (options) => path.resolve(options.string('data-dir')),
      greeting: (running, options) => {
        if (options.bool('print-kubeconfig')) return `${JSON.stringify(running.kubeconfig.object)}\n`;
        const shown = path.relative(process.cwd(), running.kubeconfig.path);
        return [
          `Binnacle is ready at ${running.url}`,
          `  data        ${path.resolve(options.string('data-dir'))}`,
          `  kubeconfig  ${running.kubeconfig.path}`,
          '',
          'In another terminal:',
          `  export KUBECONFIG=${shown.startsWith('..') ? running.kubeconfig.path : `$PWD/${shown}`}`,
          '  kubectl get nodes',
          '',
          options.bool('ephemeral') ? 'Ctrl-C stops it and removes the data.' : 'Ctrl-C stops it; the data stays.',
          '',
        ].join('\n');
      },
    },
    args,
  );
}
