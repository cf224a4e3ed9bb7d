import type { Attack } from './attack.ts';
import { selectiveLists, selectiveWatches } from './long-selectors.ts';
import { repeatedNames } from './repeated-names.ts';
import { rewrittenLists } from './rewritten-lists.ts';
import { unfinishedBodiesAttack } from './unfinished-bodies-attack.ts';
import { unreadListsAttack } from './unread-lists-attack.ts';

/** In the order of the table in docs/security.md. */
export const attacks: readonly Attack[] = [
  unfinishedBodiesAttack,
  repeatedNames,
  selectiveLists,
  selectiveWatches,
  unreadListsAttack,
  rewrittenLists,
];
