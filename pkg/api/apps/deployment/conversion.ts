import type { Deployment } from '../../../generated/types/apps-v1.ts';
import type { Deployment as DeploymentV1beta1 } from '../../../generated/types/apps-v1beta1.ts';
import { DecodeError } from '../../../codec/normalize.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { parseInt64, setAnnotation, takeAnnotation } from '../int64-annotation.ts';
import { selectorFromHub, selectorToHub } from '../selector-presence.ts';

/** Carries `spec.rollbackTo.revision` of the oldest versions through the others. */
export const ROLLBACK_ANNOTATION = 'deprecated.deployment.rollback.to';

/** The revision to which the annotation requests a rollback. Throws DecodeError when it is no number. */
export function rollbackRevision(object: Deployment): number | bigint | undefined {
  const text = getKey<string>(object.metadata.annotations, ROLLBACK_ANNOTATION);
  if (text === undefined || text === '') return undefined;
  try {
    return parseInt64(text);
  } catch (e) {
    throw new DecodeError(
      `failed to parse annotation[${ROLLBACK_ANNOTATION}]=${text} as int64: ${(e as Error).message}`,
    );
  }
}

/** apps/v1 and apps/v1beta2 have the hub's shape; the annotation is canonicalized. */
export function appsToHub(object: Deployment): Deployment {
  const revision = rollbackRevision(object);
  takeAnnotation(object.metadata, ROLLBACK_ANNOTATION);
  if (revision !== undefined) setAnnotation(object.metadata, ROLLBACK_ANNOTATION, String(revision));
  return object;
}

/** extensions/v1beta1 and apps/v1beta1. */
export function v1beta1ToHub(object: DeploymentV1beta1): Deployment {
  const { rollbackTo } = object.spec;
  delete object.spec.rollbackTo;
  takeAnnotation(object.metadata, ROLLBACK_ANNOTATION);
  if (rollbackTo !== undefined) setAnnotation(object.metadata, ROLLBACK_ANNOTATION, String(rollbackTo.revision ?? 0));
  return selectorToHub(object) as Deployment;
}

export function v1beta1FromHub(object: Deployment): DeploymentV1beta1 {
  const revision = rollbackRevision(object);
  takeAnnotation(object.metadata, ROLLBACK_ANNOTATION);
  const converted = selectorFromHub(object) as DeploymentV1beta1;
  // int64 beyond 2^53 is a BigInt at run time; zero is left out, as everywhere.
  if (revision !== undefined)
    converted.spec.rollbackTo = Number(revision) === 0 ? {} : { revision: revision as number };
  return converted;
}
