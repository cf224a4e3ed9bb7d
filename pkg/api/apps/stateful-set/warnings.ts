import { field } from '../../../apimachinery/errors/field-path.ts';
import type { StatefulSet } from '../../../generated/types/apps-v1.ts';
import { claimSpecWarnings } from '../../core/persistent-volume-claim/claim-spec-warnings.ts';
import { templateWarnings } from '../template-warnings.ts';

const KEEPS_ALL = 'a negative value retains all historical revisions; a value >= 0 is recommended';

/** What is odd in the templates, and in the number of revisions that are kept. */
export function statefulSetWarnings(set: StatefulSet, old: StatefulSet | undefined): string[] {
  const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = set.spec;
  const templates = field('spec', 'volumeClaimTemplates');
  return [
    ...templateWarnings(set, old),
    ...volumeClaimTemplates.flatMap(({ spec }, i) => claimSpecWarnings(spec, templates.index(i))),
    ...(revisionHistoryLimit < 0 ? [`${field('spec', 'revisionHistoryLimit').toString()}: ${KEEPS_ALL}`] : []),
  ];
}
