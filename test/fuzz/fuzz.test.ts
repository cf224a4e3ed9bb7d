/**
 * Every decoder and parser of what comes from outside, on changed input. `FUZZ_INPUTS`: inputs in all (`make fuzz`: a
 * million); `FUZZ_SEED` repeats a run.
 */
import { fuzz } from './fuzz-target.ts';
import { answerTargets } from './answer-targets.ts';
import { configurationTargets } from './configuration-targets.ts';
import { connectionTargets } from './connection-targets.ts';
import { credentialTargets } from './credential-targets.ts';
import { objectTargets } from './object-targets.ts';
import { patchTargets } from './patch-targets.ts';
import { requestTargets } from './request-targets.ts';
import { storeTargets } from './store-targets.ts';
import { textTargets } from './text-targets.ts';

const inputs = Number(process.env['FUZZ_INPUTS'] ?? 40_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const targets = [
  ...textTargets,
  ...requestTargets,
  ...objectTargets,
  ...patchTargets,
  ...credentialTargets,
  ...configurationTargets,
  ...connectionTargets,
  ...answerTargets,
  ...storeTargets,
];

describe(`fuzz with FUZZ_SEED=${seed}`, function () {
  this.timeout(0);
  const each = Math.max(1, Math.ceil(inputs / targets.length));
  for (const target of targets) it(`${target.name} reads or refuses ${each} inputs`, () => fuzz(target, each, seed));
});
