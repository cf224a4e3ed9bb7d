import type * as v1 from '../../generated/types/rbac-v1.ts';
import type * as alpha from '../../generated/types/rbac-v1alpha1.ts';
import { RBAC_GROUP } from './rbac-group.ts';

/**
 * Subjects of the alpha version name an apiVersion instead of a group. Its user `*` meant every authenticated user;
 * that becomes the group of authenticated users, and stays so.
 */

type Binding = { subjects?: v1.Subject[] };
type AlphaBinding = { subjects?: alpha.Subject[] };

export function bindingFromAlpha<T extends AlphaBinding>(binding: T): Omit<T, 'subjects'> & Binding {
  const { subjects, ...rest } = binding;
  return subjects === undefined ? rest : { ...rest, subjects: subjects.map(subjectFromAlpha) };
}

export function bindingToAlpha<T extends Binding>(binding: T): Omit<T, 'subjects'> & AlphaBinding {
  const { subjects, ...rest } = binding;
  return subjects === undefined ? rest : { ...rest, subjects: subjects.map(subjectToAlpha) };
}

function subjectFromAlpha({ apiVersion, ...subject }: alpha.Subject): v1.Subject {
  switch (subject.kind) {
    case 'ServiceAccount':
      return subject;
    case 'User':
      if (subject.name === '*')
        return { ...subject, apiGroup: RBAC_GROUP, kind: 'Group', name: 'system:authenticated' };
      return { ...subject, apiGroup: RBAC_GROUP };
    case 'Group':
      return { ...subject, apiGroup: RBAC_GROUP };
    default: {
      const group = apiVersion?.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
      return group === '' ? subject : { ...subject, apiGroup: group };
    }
  }
}

function subjectToAlpha({ apiGroup, ...subject }: v1.Subject): alpha.Subject {
  switch (subject.kind) {
    case 'ServiceAccount':
      return { ...subject, apiVersion: 'v1' };
    case 'User':
    case 'Group':
      return { ...subject, apiVersion: `${RBAC_GROUP}/v1alpha1` };
    default:
      return apiGroup === undefined ? subject : { ...subject, apiVersion: apiGroup };
  }
}
