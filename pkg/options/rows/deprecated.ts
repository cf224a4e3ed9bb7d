import { oneOf } from '../checks.ts';
import { optionGroup } from '../option.ts';

const noInsecurePort = 'there is no port without TLS';

/** Names of earlier and later releases that manifests still carry. */
export const deprecatedOptions = optionGroup('Deprecated', [
  {
    name: 'insecure-port',
    aliases: ['port'],
    type: 'int',
    default: '0',
    check: noPort,
    inert: noInsecurePort,
    help: 'Port without TLS and without authentication: 0 alone is accepted',
  },
  {
    name: 'insecure-bind-address',
    aliases: ['address'],
    type: 'ip',
    inert: noInsecurePort,
    help: 'Address of that port',
  },
  {
    name: 'etcd-quorum-read',
    type: 'bool',
    default: 'true',
    check: oneOf('true'),
    inert: 'reads are always consistent',
    help: 'Consistent reads of the store: true alone is accepted',
  },
  {
    name: 'repair-malformed-updates',
    type: 'bool',
    default: 'false',
    inert: 'updates are validated as they are',
    help: 'Correct updates without a UID',
  },
]);

function noPort(value: string): string | undefined {
  return value === '0' ? undefined : `${noInsecurePort}: must be 0; use --secure-port`;
}
