import { services } from '../../api/core/tokens.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

/**
 * Services may keep and remove external addresses, but add no new ones: a user who may claim any address can intercept
 * the traffic of others.
 */
export function denyServiceExternalIpsPlugin(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    validate: handles(requestsOn(services, 'CREATE', 'UPDATE'), (request) => {
      const before = new Set(request.oldObject?.spec.externalIPs);
      const taken = request.object.spec.externalIPs ?? [];
      if (taken.some((ip) => !before.has(ip)))
        throw refusal(request, 'Use of external IPs is denied by admission control.');
    }),
  };
}
