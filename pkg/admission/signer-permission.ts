import type { UserInfo } from '../api/resource-definition.ts';
import type { Authorizer } from '../authorization/authorizer.ts';

/** Whether a user may `approve` or `sign` for a signer: by its own name, or by `domain/*`. */
export async function maySign(
  authorizer: Authorizer,
  user: UserInfo,
  verb: 'approve' | 'sign',
  signerName: string,
): Promise<boolean> {
  const domain = signerName.split('/', 1)[0]!;
  for (const name of [signerName, `${domain}/*`]) {
    const { decision } = await authorizer.authorize({
      user,
      verb,
      isResource: true,
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
    });
    if (decision === 'allow') return true;
  }
  return false;
}
