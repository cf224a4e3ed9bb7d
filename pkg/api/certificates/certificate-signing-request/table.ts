import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from '../../../generated/types/certificates-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age, humanDuration } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

export const certificateSigningRequestTable: TableDefinition<CertificateSigningRequest> = {
  columns: [
    NAME_COLUMN,
    AGE_COLUMN,
    { name: 'SignerName', type: 'string', description: 'Signer that is asked.' },
    { name: 'Requestor', type: 'string', description: 'User who asks.' },
    { name: 'RequestedDuration', type: 'string', description: 'How long the certificate should be valid.' },
    { name: 'Condition', type: 'string', description: 'What has become of the request.' },
  ],
  row: ({ metadata, spec, status }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      age(metadata.creationTimestamp, nowMs),
      spec.signerName || '<none>',
      spec.username ?? '',
      spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
      conditionText(status),
    ],
  }),
};

function conditionText(status: CertificateSigningRequestStatus): string {
  const types = new Set((status.conditions ?? []).map((condition) => condition.type));
  let text = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  if (types.has('Failed')) text += ',Failed';
  if (status.certificate) text += ',Issued';
  return text;
}
