/** Each controller of the server against a real server, on both stores and over both transports of the client. */
import assert from 'node:assert/strict';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { namespaces } from '../../../pkg/api/core/tokens.ts';
import {
  clientContexts,
  ControllerContexts,
  type ClientContextsOptions,
} from '../../../pkg/controllers/controller-contexts.ts';
import type { Controller } from '../../../pkg/controllers/controller.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import type { ControllerHost, ControllerSuite } from './controller-suite.ts';
import { accountTokens } from './suites/account-tokens.ts';
import { apiserverLeases } from './suites/apiserver-leases.ts';
import { attachmentSuite } from './suites/attachments.ts';
import { autoscaling } from './suites/autoscaling.ts';
import { bootstrapTokens } from './suites/bootstrap-tokens.ts';
import { certificateRequests } from './suites/certificate-requests.ts';
import { clusterAuthenticationTrust } from './suites/cluster-authentication-trust.ts';
import { clusterRoleAggregation } from './suites/clusterrole-aggregation.ts';
import { daemonSet } from './suites/daemonset.ts';
import { deployment } from './suites/deployment.ts';
import { deviceTaintEviction } from './suites/device-taint-eviction.ts';
import { flowControl } from './suites/flow-control.ts';
import { garbageCollector } from './suites/garbage-collector.ts';
import { jobSuite } from './suites/jobs.ts';
import { kubernetesService } from './suites/kubernetes-service.ts';
import { legacyTokenCleaner } from './suites/legacy-token-cleaner.ts';
import { legacyTokenTracking } from './suites/legacy-token-tracking.ts';
import { loadBalancers } from './suites/load-balancers.ts';
import { namespace } from './suites/namespace.ts';
import { nodeRoutes } from './suites/node-routes.ts';
import { nodeSuite } from './suites/nodes.ts';
import { podsAndBudgets } from './suites/pods-and-budgets.ts';
import { resourceQuota } from './suites/resource-quota.ts';
import { replicaSet } from './suites/replicaset.ts';
import { serviceAccount } from './suites/serviceaccount.ts';
import { serviceCidr } from './suites/service-cidr.ts';
import { serviceEndpoints } from './suites/service-endpoints.ts';
import { statefulSet } from './suites/statefulset.ts';
import { systemNamespaces } from './suites/system-namespaces.ts';
import { volumeAttributesClassSuite } from './suites/volume-attributes-classes.ts';
import { volumeExpansion } from './suites/volume-expansion.ts';
import { volumeSuite } from './suites/volumes.ts';
import { workloadTakeover } from './suites/workload-takeover.ts';

const suites: readonly ControllerSuite[] = [
  accountTokens,
  apiserverLeases,
  attachmentSuite,
  autoscaling,
  bootstrapTokens,
  certificateRequests,
  clusterAuthenticationTrust,
  clusterRoleAggregation,
  daemonSet,
  deployment,
  deviceTaintEviction,
  flowControl,
  garbageCollector,
  jobSuite,
  kubernetesService,
  legacyTokenCleaner,
  legacyTokenTracking,
  loadBalancers,
  namespace,
  nodeRoutes,
  nodeSuite,
  podsAndBudgets,
  resourceQuota,
  replicaSet,
  serviceAccount,
  serviceCidr,
  serviceEndpoints,
  statefulSet,
  systemNamespaces,
  volumeAttributesClassSuite,
  volumeExpansion,
  volumeSuite,
  workloadTakeover,
];

interface Variant {
  readonly transport: 'in-process' | 'https';
  readonly store: 'embedded' | 'etcd';
}
const variants: readonly Variant[] = [
  { transport: 'in-process', store: 'embedded' },
  { transport: 'https', store: 'embedded' },
  { transport: 'in-process', store: 'etcd' },
  { transport: 'https', store: 'etcd' },
];

const USER = { name: 'system:apiserver', groups: ['system:masters'] };

for (const { transport, store } of variants) {
  describe(`controllers, ${transport} (${store})`, function () {
    this.timeout(60_000);
    let etcd: EtcdServer | undefined;
    let server: TestServer;
    let contexts: ControllerContexts;
    let started: Controller[];
    let errors: string[];
    let count = 0;

    before(async () => {
      etcd = store === 'etcd' ? await EtcdServer.start() : undefined;
      server = await startTestServer({ controllers: [], ...(etcd === undefined ? {} : { etcd: etcd.url }) });
    });
    after(async () => {
      await server.stop();
      await etcd?.stop();
      assert.deepEqual(server.errors, []);
    });
    beforeEach(() => {
      started = [];
      errors = [];
      contexts = open({ onError: (error, where) => errors.push(`${where}: ${String(error)}`), freezeObjects: true });
    });
    afterEach(async () => {
      for (const controller of started) await controller.stop();
      await contexts.stop();
      assert.deepEqual(errors, []);
    });

    const restClient = (): RestClient =>
      new RestClient(
        {
          server: new URL(server.running.url),
          insecureSkipTlsVerify: true,
          credentials: { token: server.running.token },
        },
        { protocol: 'h2' },
      );

    function open(options: ClientContextsOptions): ControllerContexts {
      if (transport === 'https') return clientContexts(restClient(), { ...options, streamingLists: true });
      const { server: api } = server.running;
      return new ControllerContexts({
        ...options,
        clientOf: () => api.localClient(USER),
        sources: api.localSources(USER, (error) => options.onError(error, 'informers')),
      });
    }

    const host: ControllerHost = {
      get server() {
        return server;
      },
      get client() {
        return server.running.server.localClient(USER);
      },
      get errors() {
        return errors;
      },
      async namespace() {
        const name = `suite-${++count}`;
        await host.client.create(namespaces, { metadata: { name }, spec: {}, status: {} });
        return name;
      },
      async start(create) {
        const controller = create(contexts.of('test'));
        started.push(controller);
        contexts.startInformers();
        await controller.start();
        await controller.settled();
        return controller;
      },
    };

    for (const { name, define } of suites) describe(name, () => define(host));
  });
}
