import { admissionPlugins } from '../../admission/plugins.ts';
import { notNegative, oneOf } from '../checks.ts';
import { optionGroup } from '../option.ts';

const admissionPluginNames = admissionPlugins.map(({ name }) => name);

/** Options of admission. */
export const admissionOptions = optionGroup('Admission', [
  {
    name: 'admission-control-config-file',
    type: 'string',
    file: true,
    help: 'File with the settings of single plugins (AdmissionConfiguration)',
  },
  {
    name: 'enable-admission-plugins',
    type: 'stringSlice',
    check: oneOf(...admissionPluginNames),
    help: `Plugins enabled besides the default ones, among which up has NodeRestriction, in any order: ${admissionPluginNames.join(', ')}`,
  },
  {
    name: 'disable-admission-plugins',
    type: 'stringSlice',
    check: oneOf(...admissionPluginNames),
    help: 'Plugins disabled although they are on by default, in any order',
  },
  {
    name: 'admission-control',
    type: 'stringSlice',
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
    check: oneOf(...admissionPluginNames),
    help: 'Exactly the plugins that run, in any order',
  },
  { name: 'allow-privileged', type: 'bool', default: 'false', help: 'Pods may have privileged containers' },
  {
    name: 'default-not-ready-toleration-seconds',
    type: 'int',
    default: '300',
    check: notNegative,
    help: 'Seconds for which DefaultTolerationSeconds lets pods stay on a node that is not ready',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    type: 'int',
    default: '300',
    check: notNegative,
    help: 'Seconds for which it lets pods stay on a node that is not reachable',
  },
]);
