import { ingressClasses, ingresses } from '../../api/networking/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

const DEFAULT = 'ingressclass.kubernetes.io/is-default-class';
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Sets the default ingress class of ingresses that name none. */
export function defaultIngressClassPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    admit: handles(requestsOn(ingresses, 'CREATE'), async (request) => {
      const { metadata, spec } = request.object;
      if (spec.ingressClassName !== undefined || getKey(metadata.annotations, CLASS_ANNOTATION) !== undefined) return;
      const all = await lookup.list(ingressClasses, '');
      const classes = all.filter((c) => getKey(c.metadata.annotations, DEFAULT) === 'true');
      if (classes.length > 1)
        throw refusal(request, `Internal error occurred: ${classes.length} default IngressClasses were found`);
      const name = classes[0]?.metadata.name;
      if (name !== undefined) spec.ingressClassName = name;
    }),
  };
}
