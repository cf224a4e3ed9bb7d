import type { Ingress } from '../../../generated/types/networking-v1beta1.ts';

/** The beta versions leave the meaning of a path to the controller where the client names none. */
export function setBetaDefaults(ingress: Ingress): void {
  for (const rule of ingress.spec.rules ?? []) {
    for (const path of rule.http?.paths ?? []) path.pathType ??= 'ImplementationSpecific';
  }
}
