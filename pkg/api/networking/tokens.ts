import { tokenOf } from '../resource-definition.ts';
import { ingressClass } from './ingress-class/ingress-class.ts';
import { ingress } from './ingress/ingress.ts';
import { ipAddress } from './ip-address/ip-address.ts';
import { networkPolicy } from './network-policy/network-policy.ts';
import { serviceCidr } from './service-cidr/service-cidr.ts';

export const ingressClasses = tokenOf(ingressClass);
export const ingresses = tokenOf(ingress);
export const ipAddresses = tokenOf(ipAddress);
export const networkPolicies = tokenOf(networkPolicy);
export const serviceCidrs = tokenOf(serviceCidr);
