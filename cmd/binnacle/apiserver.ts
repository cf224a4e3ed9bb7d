import { apiServerOptions } from '../../pkg/options/api-server-options.ts';
import { serve } from './serve.ts';

/** Runs one API server replica, by default on etcd. */
export function apiserver(args: readonly string[]): Promise<number> {
  return serve(
    {
      component: 'apiserver',
      options: apiServerOptions,
      usage: 'Usage: binnacle apiserver [options]\n\nRuns one API server; several may share an etcd cluster.',
      dirOf: (options) => options.string('cert-dir'),
      greeting: (running) => `serving at ${running.url}\n`,
    },
    args,
  );
}
