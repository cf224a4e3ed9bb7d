import type { ApiGroup } from '../api-group.ts';
import { ingressClass } from './ingress-class/ingress-class.ts';
import { ingress } from './ingress/ingress.ts';
import { ipAddress } from './ip-address/ip-address.ts';
import { networkPolicy } from './network-policy/network-policy.ts';
import { serviceCidr } from './service-cidr/service-cidr.ts';

export const networkingGroup: ApiGroup = {
  name: 'networking.k8s.io',
  priority: 17200,
  resources: [ingress, ingressClass, networkPolicy, ipAddress, serviceCidr],
};
