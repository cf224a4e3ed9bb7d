import { setKey } from '../../apimachinery/json/own-keys.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { UserInfo as UserDocument } from '../../generated/types/authentication-v1.ts';

/** A user in the form of the API. */
export function userDocument({ name, uid, groups, extra }: UserInfo): UserDocument {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined ? {} : { extra: extraDocument(extra) }),
  };
}

function extraDocument(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  const document: Record<string, string[]> = {};
  for (const [key, values] of Object.entries(extra)) setKey(document, key, [...values]);
  return document;
}
