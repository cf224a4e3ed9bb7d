import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '../codec/yaml.ts';
import { ConfigurationSection } from './configuration-section.ts';

/**
 * Returns each plugin's section, parsed; undefined where the file has none. Throws Error where the section is in a file
 * that cannot be read.
 */
export type ConfigurationOf = (plugin: string) => unknown;

const KINDS = [
  'apiserver.config.k8s.io/v1, AdmissionConfiguration',
  'apiserver.k8s.io/v1alpha1, AdmissionConfiguration',
];
/** These two took the whole file before there were sections. */
const PLUGINS_OF_PLAIN_FILES = ['ImagePolicyWebhook', 'PodNodeSelector'];
const SECTIONS_OF_PLAIN_FILES = ['imagePolicy', 'podNodeSelectorPluginConfig'];

/** No plugin is configured. */
export const noConfiguration: ConfigurationOf = () => undefined;

/**
 * Reads the file of `--admission-control-config-file`, YAML or JSON: a section per plugin, inline or in a separate file
 * whose path is relative to the first and which is read when its plugin needs it. Throws Error where the file cannot be
 * read or is not of this form.
 */
export function readAdmissionConfiguration(file: string): ConfigurationOf {
  const document = readDocument(file);
  const whole = new ConfigurationSection(document);
  if (!whole.has('apiVersion') && !whole.has('kind') && SECTIONS_OF_PLAIN_FILES.some((name) => whole.has(name))) {
    return (plugin) => (PLUGINS_OF_PLAIN_FILES.includes(plugin) ? document : undefined);
  }
  const sections = new Map<string, () => unknown>();
  for (const section of ConfigurationSection.ofKind(document, KINDS).sections('plugins')) {
    const name = section.text('name') ?? '';
    if (name === '') throw new Error(`${section.at('name')} must name a plugin`);
    if (!sections.has(name)) sections.set(name, contentOf(section, path.dirname(file)));
  }
  return (plugin) => sections.get(plugin)?.();
}

/** The file of a section is read when its plugin needs it. */
function contentOf(section: ConfigurationSection, dir: string): () => unknown {
  const inline = section.raw('configuration');
  const file = section.text('path') ?? '';
  if (inline !== undefined || file === '') return () => inline;
  return () => readDocument(path.resolve(dir, file));
}

function readDocument(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    return parseYaml(text);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
