/**
 * The process that crash.test.ts kills: writes to an embedded store until then, and says on standard output what was
 * acknowledged. Arguments: the data directory and the round.
 */
import { writeSync } from 'node:fs';
import { EmbeddedStore } from '../../pkg/storage/embedded/embedded-store.ts';
import { runWriteLoad } from './write-load.ts';

const [dataDir, round] = process.argv.slice(2);
if (dataDir === undefined || round === undefined) throw new Error('usage: embedded-writer.ts DATA_DIR ROUND');
const store = new EmbeddedStore({ dataDir });
const keptRevisions = 3000;
setInterval(async () => {
  const revision = (await store.currentRevision()) - keptRevisions;
  if (revision > 0) await store.compact(revision);
}, 40);
writeSync(1, 'ready\n');
await runWriteLoad({
  store,
  name: `round-${round}`,
  writers: 40,
  stopped: () => false,
  // Synchronous: a line is in the pipe, where it outlives this process, before the next write begins.
  onAcknowledged: (acknowledgement) => writeSync(1, `${JSON.stringify(acknowledgement)}\n`),
});
