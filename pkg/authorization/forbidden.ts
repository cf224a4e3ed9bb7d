import { goQuote } from '../apimachinery/values/go-format.ts';
import { forbidden, type StatusError } from '../apimachinery/errors/status-error.ts';
import type { AuthorizationAttributes } from './authorizer.ts';
import { resourcePath } from './rbac/policy-rules.ts';

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * 403 for a denied request, in the words that clients know. `reason`: of the authorizers,
 * may be empty.
 */
export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string): StatusError {
  const text = deniedText(attributes).replace(/[&<>]/g, (char) => HTML[char]!);
  return forbidden(
    { group: attributes.apiGroup, resource: attributes.resource },
    attributes.name,
    reason === '' ? text : `${text}: ${reason}`,
  );
}

function deniedText({
  user,
  verb,
  isResource,
  apiGroup,
  resource,
  subresource,
  namespace,
  path,
}: AuthorizationAttributes): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResource) return `${who} path ${goQuote(path)}`;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(resourcePath(resource, subresource))} in API group ${goQuote(apiGroup)} ${place}`;
}
