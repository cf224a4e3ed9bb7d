import { longerThanZero } from '../../checks.ts';
import type { OptionRow } from '../../option.ts';
import { managerGroup } from './manager-group.ts';

/** Signers of certificate requests that may have an authority of their own, by their part of the option's name. */
export const signers = {
  'kubelet-serving': 'kubernetes.io/kubelet-serving',
  'kubelet-client': 'kubernetes.io/kube-apiserver-client-kubelet',
  'kube-apiserver-client': 'kubernetes.io/kube-apiserver-client',
  'legacy-unknown': 'kubernetes.io/legacy-unknown',
} as const;

/** What the cluster signs, and the accounts of controllers. */
export const certificatesOptions = managerGroup('Certificates and accounts', [
  {
    name: 'root-ca-file',
    type: 'string',
    file: true,
    help: 'Authorities (PEM) that go into token secrets and into the config map kube-root-ca.crt of every namespace',
  },
  {
    name: 'service-account-private-key-file',
    type: 'string',
    file: true,
    help: 'Private key that signs the tokens of token secrets (PEM, RSA or ECDSA)',
  },
  {
    name: 'cluster-signing-cert-file',
    type: 'string',
    help: 'Certificate of the authority that signs certificate requests (PEM)',
  },
  { name: 'cluster-signing-key-file', type: 'string', help: 'Private key of that authority (PEM, RSA or ECDSA)' },
  {
    name: 'cluster-signing-duration',
    aliases: ['experimental-cluster-signing-duration'],
    type: 'duration',
    default: '8760h0m0s',
    check: longerThanZero,
    help: 'How long signed certificates are valid at most',
  },
  ...Object.entries(signers).flatMap(([name, signer]): OptionRow[] => [
    {
      name: `cluster-signing-${name}-cert-file`,
      type: 'string',
      help: `Certificate of the authority for ${signer} alone`,
    },
    { name: `cluster-signing-${name}-key-file`, type: 'string', help: 'Private key of that authority' },
  ]),
  {
    name: 'use-service-account-credentials',
    type: 'bool',
    default: 'false',
    help: 'Each controller works as its own service account, with the rights that it needs alone',
  },
  {
    name: 'insecure-experimental-approve-all-nodeagent-csrs-for-group',
    aliases: ['insecure-experimental-approve-all-kubelet-csrs-for-group'],
    type: 'string',
    inert: 'requests are approved by the rights of who asks',
    help: 'Group whose certificate requests were all approved once',
  },
]);
