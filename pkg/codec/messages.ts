import { generatedMessages, type GeneratedMessage } from '../generated/kinds.ts';

const byName = new Map(generatedMessages.map((m) => [m.message, m]));
const byKind = new Map(generatedMessages.filter((m) => m.isKind).map((m) => [`${m.group}/${m.version}/${m.kind}`, m]));

/** Codec functions of a message, `apps/v1.Deployment`; asserts that it exists. */
export function messageOf(name: string): GeneratedMessage {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
}

/** The message of a kind, by the `apiVersion` and `kind` of its JSON form. */
export function messageOfKind(apiVersion: string, kind: string): GeneratedMessage | undefined {
  return byKind.get(`${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}/${kind}`);
}
