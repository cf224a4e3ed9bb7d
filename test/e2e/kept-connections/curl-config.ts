import type { Step } from './plan.ts';

/** What curl writes for each transfer: status, bytes of the answer, connections opened for it. */
export interface CurlTransfer {
  readonly status: number;
  readonly bytes: number;
  readonly opened: number;
}

/** A plan as a configuration file of curl's, whose transfers share connections. */
export function curlConfig(url: string, token: string, steps: readonly Step[]): string {
  return steps
    .map((step) =>
      [
        `url = "${url}${step.path}"`,
        `request = ${step.method}`,
        `header = "Authorization: Bearer ${token}"`,
        `header = "Accept: ${step.accept}"`,
        ...(step.bodyFile === ''
          ? []
          : [`header = "Content-Type: ${step.contentType}"`, `data-binary = "@${step.bodyFile}"`]),
        'insecure',
        'silent',
        'http1.1',
        'output = /dev/null',
        'max-time = 60',
        'write-out = "%{http_code} %{size_download} %{num_connects}\\n"',
      ].join('\n'),
    )
    .join('\nnext\n');
}

export function curlTransfers(output: string): readonly CurlTransfer[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [status = 0, bytes = 0, opened = 0] = line.split(' ').map(Number);
      return { status, bytes, opened };
    });
}
