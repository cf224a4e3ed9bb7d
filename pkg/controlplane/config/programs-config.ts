import { readFileSync } from 'node:fs';
import { readControllersConfig } from '../../controllermanager/read-controllers-config.ts';
import type { ControllerDescriptor } from '../../controllers/controller-descriptor.ts';
import type { ControllersConfig } from '../../controllers/controllers-config.ts';
import { controllerDescriptors } from '../../controllers/descriptors.ts';
import { parseYaml } from '../../codec/yaml.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { selectedControllers } from '../../options/controller-names.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { fileErrorText } from '../../options/readable-file.ts';
import { defaultNodes } from '../../simulation/default-nodes.ts';

const OPTION = 'simulated-nodes';
const NODE_LIST = 'must be a list of Node objects with names';

/** What runs beside the API server in its process. */
export interface ProgramsConfig {
  readonly controllers: readonly ControllerDescriptor[];
  readonly config: ControllersConfig;
  readonly scheduler: boolean;
  /** Nodes that are simulated; those that ask for it by an annotation are besides. */
  readonly nodes: readonly Node[];
  /** Whether there is a default storage class, with volumes that are simulated as the nodes are. */
  readonly simulatesVolumes: boolean;
}

/** Undefined where the options are not those of `up`. Throws `OptionsError` for files that cannot be read. */
export function readProgramsConfig(options: OptionValues): ProgramsConfig | undefined {
  if (options.component !== 'up' || options.string(OPTION) === '') return undefined;
  const nodes = options.string(OPTION);
  const selected = new Set(selectedControllers(options.list('controllers')).map(({ name }) => name));
  return {
    controllers: controllerDescriptors.filter(({ name }) => selected.has(name)),
    config: readControllersConfig(options),
    scheduler: options.bool('scheduler'),
    nodes: readSimulatedNodes(nodes),
    // A file describes a cluster as it is, and volumes of a cluster whose manager does not ask for them have no use.
    simulatesVolumes: /^[1-9]\d*$/.test(nodes) && selected.has('persistentvolume-binder-controller'),
  };
}

/** So many nodes, or those of a file: a list of Node objects in YAML or JSON, also as the `items` of a List. */
export function readSimulatedNodes(value: string): readonly Node[] {
  if (/^\d+$/.test(value)) return defaultNodes(Number(value));
  const fail = (problem: string): never => {
    throw new OptionsError([optionProblem(OPTION, value, problem)]);
  };
  let read: unknown;
  try {
    read = parseYaml(readFileSync(value, 'utf8'));
  } catch (error) {
    return fail((error as NodeJS.ErrnoException).code === undefined ? 'is not YAML' : fileErrorText(error));
  }
  const items: unknown = Array.isArray(read) ? read : (read as { readonly items?: unknown } | null)?.items;
  return simulatedNodesOf(items) ?? fail(NODE_LIST);
}

/** Of a list of Node objects with names; undefined for anything else. */
export function simulatedNodesOf(items: unknown): readonly Node[] | undefined {
  if (!Array.isArray(items) || !items.every(isNode)) return undefined;
  return items.map((node) => ({ ...node, spec: node.spec ?? {}, status: node.status ?? {} }) as Node);
}

function isNode(item: unknown): item is Partial<Node> {
  const { kind, metadata } = (item ?? {}) as Partial<Node> & { readonly kind?: unknown };
  return kind === 'Node' && typeof metadata?.name === 'string';
}
