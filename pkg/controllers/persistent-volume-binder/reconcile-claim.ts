import { claimClass } from '../../api/core/persistent-volume/match-claim.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import { timed } from '../controller-metrics.ts';
import { bind } from './bind.ts';
import { normal, warning, type BinderSteps } from './binder-steps.ts';
import { chooseVolume, isBoundTo, mismatch } from './choose-volume.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE } from './names.ts';
import { setClaimPhase } from './phases.ts';
import { provisionClaim } from './provision-claim.ts';

/** Brings a claim to its volume, or says why it has none. */
export async function reconcileClaim(claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) await checkBinding(claim, steps);
  else if ((claim.spec.volumeName ?? '') !== '') await bindNamed(claim, steps);
  else await bindAny(claim, steps);
}

async function bindAny(claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  const className = claimClass(claim);
  const waits = steps.storageClass(className)?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = chooseVolume(claim, steps.candidates(claim), waits);
  if (volume !== undefined) return bind(volume, claim, steps);
  if (claim.spec.storageClassName === undefined && className === '') {
    const storageClassName = steps.defaultClass()?.metadata.name;
    // Its change brings the claim back.
    if (storageClassName !== undefined)
      return void (await timed(
        steps,
        () => steps.updateClaim({ ...claim, spec: { ...claim.spec, storageClassName } }),
        (_, error) => steps.metrics.defaulted(error),
      ));
  }
  if (waits && claim.metadata.annotations?.[SELECTED_NODE] === undefined) reportWaiting(claim, steps);
  else if (className !== '') return provisionClaim(claim, className, steps);
  else
    steps.event(
      claim,
      normal('FailedBinding', 'no persistent volumes available for this claim and no storage class is set'),
    );
  await setClaimPhase(claim, 'Pending', undefined, steps);
}

function reportWaiting(claim: PersistentVolumeClaim, steps: BinderSteps): void {
  const names = steps.waitingPods(claim).map(({ metadata }) => metadata.name!);
  const waited = `${names.length > 1 ? 'pods' : 'pod'} ${names.join(',')}`;
  steps.event(
    claim,
    names.length === 0
      ? normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
      : normal('WaitForPodScheduled', `waiting for ${waited} to be scheduled`),
  );
}

/** The claim's author, or the scheduler, named a volume. */
async function bindNamed(claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  const name = claim.spec.volumeName!;
  const volume = steps.volume(name);
  if (volume !== undefined) {
    if (isBoundTo(volume, claim)) return bind(volume, claim, steps);
    if (volume.spec.claimRef === undefined) {
      const why = mismatch(volume, claim);
      if (why === undefined) return bind(volume, claim, steps);
      steps.event(claim, warning('VolumeMismatch', `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`));
    } else if (claim.metadata.annotations?.[BOUND_BY_CONTROLLER] === undefined)
      steps.event(
        claim,
        warning('FailedBinding', `volume ${JSON.stringify(name)} already bound to a different claim.`),
      );
    else throw new Error(`volume ${name} was given to another claim than ${claim.metadata.name}`);
  }
  await setClaimPhase(claim, 'Pending', undefined, steps);
}

/** A claim that was bound keeps its volume or is lost: no other has its data. */
async function checkBinding(claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  const lost = (reason: string, note: string): Promise<unknown> =>
    setClaimPhase(claim, 'Lost', undefined, steps, warning(reason, note));
  const name = claim.spec.volumeName ?? '';
  if (name === '')
    return void (await lost(
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    ));
  const volume = steps.volume(name);
  if (volume === undefined)
    await lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  else if (volume.spec.claimRef === undefined || volume.spec.claimRef.uid === claim.metadata.uid)
    await bind(volume, claim, steps);
  else await lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}
