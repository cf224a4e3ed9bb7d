import assert from 'node:assert/strict';
import { allResources } from './all-resources.ts';

/** Columns of `kubectl get` in release 1.36, in their order; those with a plus are shown in wide output alone. */
const columns: Record<string, string> = {
  CSIDriver: 'Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes, Age',
  CSINode: 'Name, Drivers, Age',
  CSIStorageCapacity: 'Name, StorageClassName, Capacity',
  CertificateSigningRequest: 'Name, Age, SignerName, Requestor, RequestedDuration, Condition',
  ClusterRoleBinding: 'Name, Role, Age, +Users, +Groups, +ServiceAccounts',
  ClusterTrustBundle: 'Name, SignerName',
  ComponentStatus: 'Name, Status, Message, Error',
  ConfigMap: 'Name, Data, Age',
  ControllerRevision: 'Name, Controller, Revision, Age',
  CronJob: 'Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, +Containers, +Images, +Selector',
  DaemonSet:
    'Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, +Containers, +Images, +Selector',
  Deployment: 'Name, Ready, Up-to-date, Available, Age, +Containers, +Images, +Selector',
  DeviceClass: 'Name, Age',
  EndpointSlice: 'Name, AddressType, Ports, Endpoints, Age',
  Endpoints: 'Name, Endpoints, Age',
  Event: 'Last Seen, Type, Reason, Object, +Subobject, +Source, Message, +First Seen, +Count, +Name',
  FlowSchema: 'Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
  HorizontalPodAutoscaler: 'Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  IPAddress: 'Name, ParentRef',
  Ingress: 'Name, Class, Hosts, Address, Ports, Age',
  IngressClass: 'Name, Controller, Parameters, Age',
  Job: 'Name, Status, Completions, Duration, Age, +Containers, +Images, +Selector',
  Lease: 'Name, Holder, Age',
  LeaseCandidate: 'Name, LeaseName, BinaryVersion, EmulationVersion, Age',
  MutatingAdmissionPolicy: 'Name, Mutations, ParamKind, Age',
  MutatingAdmissionPolicyBinding: 'Name, PolicyName, ParamRef, Age',
  MutatingWebhookConfiguration: 'Name, Webhooks, Age',
  Namespace: 'Name, Status, Age',
  NetworkPolicy: 'Name, Pod-Selector, Age',
  Node: 'Name, Status, Roles, Age, Version, +Internal-IP, +External-IP, +OS-Image, +Kernel-Version, +Container-Runtime',
  PersistentVolume:
    'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, +VolumeMode',
  PersistentVolumeClaim:
    'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, +VolumeMode',
  Pod: 'Name, Ready, Status, Restarts, Age, +IP, +Node, +Nominated Node, +Readiness Gates',
  PodCertificateRequest: 'Name, PodName, ServiceAccountName, NodeName, SignerName, State, UnverifiedUserAnnotations',
  PodDisruptionBudget: 'Name, Min Available, Max Unavailable, Allowed Disruptions, Age',
  PodTemplate: 'Name, Containers, Images, Pod Labels',
  PriorityClass: 'Name, Value, Global-Default, Age, PreemptionPolicy',
  PriorityLevelConfiguration: 'Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
  ReplicaSet: 'Name, Desired, Current, Ready, Age, +Containers, +Images, +Selector',
  ReplicationController: 'Name, Desired, Current, Ready, Age, +Containers, +Images, +Selector',
  ResourceClaim: 'Name, State, Age',
  ResourceClaimTemplate: 'Name, Age',
  ResourceQuota: 'Name, Request, Limit, Age',
  RoleBinding: 'Name, Role, Age, +Users, +Groups, +ServiceAccounts',
  RuntimeClass: 'Name, Handler, Age',
  Secret: 'Name, Type, Data, Age',
  Service: 'Name, Type, Cluster-IP, External-IP, Port(s), Age, +Selector',
  ServiceAccount: 'Name, Age',
  ServiceCIDR: 'Name, CIDRs, Age',
  StatefulSet: 'Name, Ready, Age, +Containers, +Images',
  StorageClass: 'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
  ValidatingAdmissionPolicy: 'Name, Validations, ParamKind, Age',
  ValidatingAdmissionPolicyBinding: 'Name, PolicyName, ParamRef, Age',
  ValidatingWebhookConfiguration: 'Name, Webhooks, Age',
  VolumeAttachment: 'Name, Attacher, PV, Node, Attached, Age',
  VolumeAttributesClass: 'Name, DriverName, Age',
};

describe('columns of tables', () => {
  for (const { kind, group, table } of allResources) {
    if (table === undefined || columns[kind] === undefined || group === 'extensions') continue;
    it(`${kind} has those of release 1.36`, () => {
      assert.equal(
        table.columns.map(({ name, priority = 0 }) => (priority > 0 ? `+${name}` : name)).join(', '),
        columns[kind],
      );
    });
  }

  it('are known for every kind that is named here', () => {
    const kinds = new Set(allResources.map(({ kind }) => kind));
    assert.deepEqual(
      Object.keys(columns).filter((kind) => !kinds.has(kind)),
      [],
    );
  });
});
