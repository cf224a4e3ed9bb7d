import type { ServedResource } from '../documents/served-resources.ts';
import { json, mediaTypes, type Operation, type PathItem } from './operation.ts';
import { rootOf } from './resource-context.ts';
import { groupTag, groupTitle, groupVersionTag, groupVersionTitle } from './type-names.ts';

/** The paths of discovery. */

function discovery(path: string, id: string, tag: string, description: string, message: string): PathItem {
  const operation: Operation = {
    method: 'get',
    id,
    tag,
    description,
    consumes: mediaTypes.objects,
    produces: mediaTypes.objects,
    codes: [200],
    result: { message },
  };
  return { path, parameters: [], operations: [operation] };
}

export const coreVersionsPath = discovery(
  '/api/',
  'getCoreAPIVersions',
  'core',
  'List the versions of the core group.',
  'meta/v1.APIVersions',
);

export const groupsPath = discovery('/apis/', 'getAPIVersions', 'apis', 'List the groups.', 'meta/v1.APIGroupList');

export function groupPath(group: string): PathItem {
  return discovery(
    `/apis/${group}/`,
    `get${groupTitle(group)}APIGroup`,
    groupTag(group),
    'Describe the group.',
    'meta/v1.APIGroup',
  );
}

export function resourcesPath({
  group,
  version,
  groupVersion,
}: Pick<ServedResource, 'group' | 'groupVersion' | 'version'>): PathItem {
  const id = `get${groupVersionTitle(group, version)}APIResources`;
  return discovery(
    `${rootOf(groupVersion)}/`,
    id,
    groupVersionTag(group, version),
    'List the resources of the version.',
    'meta/v1.APIResourceList',
  );
}

export const versionPath: PathItem = {
  path: '/version/',
  parameters: [],
  operations: [
    {
      method: 'get',
      id: 'getCodeVersion',
      tag: 'version',
      description: 'Tell the version of the server.',
      consumes: [json],
      produces: [json],
      codes: [200],
      result: { message: 'version.Info' },
    },
  ],
};
