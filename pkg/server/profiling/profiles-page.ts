const profiles = [
  ['profile', 'What the main thread spends its time on, for <code>?seconds=N</code> (1 to 600, 30 by itself)'],
  ['heap', 'Where what is on the heap was allocated: a sample of one in 512 KiB. Collects garbage first'],
] as const;
const delays = ['block', 'How late turns of the event loop were, since the start'] as const;
const others = [
  ['cmdline', 'The command line of the server'],
  ['symbol', 'Nothing: profiles name their functions'],
] as const;

/** The page of `/debug/pprof/`. */
export function profilesPage(withDelays: boolean): string {
  const rows = [...profiles, ...(withDelays ? [delays] : []), ...others].map(
    ([name, text]) => `<tr><td><a href="${name}">${name}</a></td><td>${text}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>/debug/pprof/</title></head>
<body>
<h1>Profiles</h1>
<p>In the format of pprof: <code>go tool pprof</code> reads them.</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`;
}
