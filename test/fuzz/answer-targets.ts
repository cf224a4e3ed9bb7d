import { parseJson } from '../../pkg/apimachinery/json/json.ts';
import { decisionOf } from '../../pkg/authorization/webhook/review.ts';
import { patchOf, readVerdict } from '../../pkg/admission/webhook/verdict.ts';
import { tokenWebhookAuthenticator } from '../../pkg/authentication/token-webhook/authenticator.ts';
import type { WebhookClient } from '../../pkg/webhooks/webhook-client.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const patch = Buffer.from('[{"op":"add","path":"/metadata/labels","value":{}}]').toString('base64');
const verdict = {
  kind: 'AdmissionReview',
  response: {
    uid: 'u',
    allowed: true,
    patchType: 'JSONPatch',
    patch,
    warnings: ['w'],
    auditAnnotations: { a: 'b' },
    status: { code: 400, message: 'm' },
  },
};
const review = {
  kind: 'TokenReview',
  apiVersion: 'authentication.k8s.io/v1',
  status: {
    authenticated: true,
    audiences: ['a'],
    user: { username: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } },
  },
};

/** What the services answer that the server asks. */
export const answerTargets: readonly FuzzTarget[] = [
  ...(['v1', 'v1beta1'] as const).map((version): FuzzTarget => ({
    name: `answers of admission webhooks of ${version}`,
    seeds: [JSON.stringify({ ...verdict, apiVersion: `admission.k8s.io/${version}` })],
    run: (input) => patchOf(readVerdict(input, version, 'u', true), version),
  })),
  {
    name: 'answers of authorization webhooks',
    seeds: ['{"kind":"SubjectAccessReview","status":{"allowed":true,"denied":false,"reason":"r"}}'],
    run: (input) => decisionOf('v1', parseJson(input)),
  },
  {
    name: 'answers of token webhooks',
    seeds: [JSON.stringify(review)],
    run(input) {
      const client = { name: 'hook', call: async () => parseJson(input) } as unknown as WebhookClient;
      return tokenWebhookAuthenticator({ client, version: 'v1', audiences: ['a'] }).authenticateToken('t', []);
    },
  },
];
