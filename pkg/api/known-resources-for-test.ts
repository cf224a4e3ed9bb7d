/**
 * What clients find on a stock server, for the test of the scheme only: one resource or subresource a line, with the
 * version that serves it, kind, scope, verbs (`all` for the usual eight), singular name, short names, categories, and
 * the version of the body's kind where it is not the line's.
 */
export const KNOWN_RESOURCES = `
v1 bindings Binding namespaced create binding - - -
v1 componentstatuses ComponentStatus cluster get,list componentstatus cs - -
v1 configmaps ConfigMap namespaced all configmap cm - -
v1 endpoints Endpoints namespaced all endpoints ep - -
v1 events Event namespaced all event ev - -
v1 limitranges LimitRange namespaced all limitrange limits - -
v1 namespaces Namespace cluster create,delete,get,list,patch,update,watch namespace ns - -
v1 namespaces/finalize Namespace cluster update - - - -
v1 namespaces/status Namespace cluster get,patch,update - - - -
v1 nodes Node cluster all node no - -
v1 nodes/proxy NodeProxyOptions cluster create,delete,get,patch,update - - - -
v1 nodes/status Node cluster get,patch,update - - - -
v1 persistentvolumeclaims PersistentVolumeClaim namespaced all persistentvolumeclaim pvc - -
v1 persistentvolumeclaims/status PersistentVolumeClaim namespaced get,patch,update - - - -
v1 persistentvolumes PersistentVolume cluster all persistentvolume pv - -
v1 persistentvolumes/status PersistentVolume cluster get,patch,update - - - -
v1 pods Pod namespaced all pod po all -
v1 pods/attach PodAttachOptions namespaced create,get - - - -
v1 pods/binding Binding namespaced create - - - -
v1 pods/ephemeralcontainers Pod namespaced get,patch,update - - - -
v1 pods/eviction Eviction namespaced create - - - policy/v1
v1 pods/exec PodExecOptions namespaced create,get - - - -
v1 pods/log Pod namespaced get - - - -
v1 pods/portforward PodPortForwardOptions namespaced create,get - - - -
v1 pods/proxy PodProxyOptions namespaced create,delete,get,patch,update - - - -
v1 pods/resize Pod namespaced get,patch,update - - - -
v1 pods/status Pod namespaced get,patch,update - - - -
v1 podtemplates PodTemplate namespaced all podtemplate - - -
v1 replicationcontrollers ReplicationController namespaced all replicationcontroller rc all -
v1 replicationcontrollers/scale Scale namespaced get,patch,update - - - autoscaling/v1
v1 replicationcontrollers/status ReplicationController namespaced get,patch,update - - - -
v1 resourcequotas ResourceQuota namespaced all resourcequota quota - -
v1 resourcequotas/status ResourceQuota namespaced get,patch,update - - - -
v1 secrets Secret namespaced all secret - - -
v1 serviceaccounts ServiceAccount namespaced all serviceaccount sa - -
v1 serviceaccounts/token TokenRequest namespaced create - - - authentication.k8s.io/v1
v1 services Service namespaced all service svc all -
v1 services/proxy ServiceProxyOptions namespaced create,delete,get,patch,update - - - -
v1 services/status Service namespaced get,patch,update - - - -
apiregistration.k8s.io/v1 apiservices APIService cluster all apiservice - api-extensions -
apiregistration.k8s.io/v1 apiservices/status APIService cluster get,patch,update - - - -
apps/v1 controllerrevisions ControllerRevision namespaced all controllerrevision - - -
apps/v1 daemonsets DaemonSet namespaced all daemonset ds all -
apps/v1 daemonsets/status DaemonSet namespaced get,patch,update - - - -
apps/v1 deployments Deployment namespaced all deployment deploy all -
apps/v1 deployments/scale Scale namespaced get,patch,update - - - autoscaling/v1
apps/v1 deployments/status Deployment namespaced get,patch,update - - - -
apps/v1 replicasets ReplicaSet namespaced all replicaset rs all -
apps/v1 replicasets/scale Scale namespaced get,patch,update - - - autoscaling/v1
apps/v1 replicasets/status ReplicaSet namespaced get,patch,update - - - -
apps/v1 statefulsets StatefulSet namespaced all statefulset sts all -
apps/v1 statefulsets/scale Scale namespaced get,patch,update - - - autoscaling/v1
apps/v1 statefulsets/status StatefulSet namespaced get,patch,update - - - -
events.k8s.io/v1 events Event namespaced all event ev - -
authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview cluster create selfsubjectreview - - -
authentication.k8s.io/v1 tokenreviews TokenReview cluster create tokenreview - - -
authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview namespaced create localsubjectaccessreview - - -
authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview cluster create selfsubjectaccessreview - - -
authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview cluster create selfsubjectrulesreview - - -
authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview cluster create subjectaccessreview - - -
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler namespaced all horizontalpodautoscaler hpa all -
autoscaling/v2 horizontalpodautoscalers/status HorizontalPodAutoscaler namespaced get,patch,update - - - -
autoscaling/v1 horizontalpodautoscalers HorizontalPodAutoscaler namespaced all horizontalpodautoscaler hpa all -
autoscaling/v1 horizontalpodautoscalers/status HorizontalPodAutoscaler namespaced get,patch,update - - - -
batch/v1 cronjobs CronJob namespaced all cronjob cj all -
batch/v1 cronjobs/status CronJob namespaced get,patch,update - - - -
batch/v1 jobs Job namespaced all job - all -
batch/v1 jobs/status Job namespaced get,patch,update - - - -
certificates.k8s.io/v1 certificatesigningrequests CertificateSigningRequest cluster all certificatesigningrequest csr - -
certificates.k8s.io/v1 certificatesigningrequests/approval CertificateSigningRequest cluster get,patch,update - - - -
certificates.k8s.io/v1 certificatesigningrequests/status CertificateSigningRequest cluster get,patch,update - - - -
certificates.k8s.io/v1beta1 clustertrustbundles ClusterTrustBundle cluster all clustertrustbundle - - -
certificates.k8s.io/v1beta1 podcertificaterequests PodCertificateRequest namespaced all podcertificaterequest - - -
certificates.k8s.io/v1beta1 podcertificaterequests/status PodCertificateRequest namespaced get,patch,update - - - -
networking.k8s.io/v1 ingressclasses IngressClass cluster all ingressclass - - -
networking.k8s.io/v1 ingresses Ingress namespaced all ingress ing - -
networking.k8s.io/v1 ingresses/status Ingress namespaced get,patch,update - - - -
networking.k8s.io/v1 ipaddresses IPAddress cluster all ipaddress ip - -
networking.k8s.io/v1 networkpolicies NetworkPolicy namespaced all networkpolicy netpol - -
networking.k8s.io/v1 servicecidrs ServiceCIDR cluster all servicecidr - - -
networking.k8s.io/v1 servicecidrs/status ServiceCIDR cluster get,patch,update - - - -
networking.k8s.io/v1beta1 ipaddresses IPAddress cluster all ipaddress ip - -
networking.k8s.io/v1beta1 servicecidrs ServiceCIDR cluster all servicecidr - - -
networking.k8s.io/v1beta1 servicecidrs/status ServiceCIDR cluster get,patch,update - - - -
policy/v1 poddisruptionbudgets PodDisruptionBudget namespaced all poddisruptionbudget pdb - -
policy/v1 poddisruptionbudgets/status PodDisruptionBudget namespaced get,patch,update - - - -
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding cluster all clusterrolebinding - - -
rbac.authorization.k8s.io/v1 clusterroles ClusterRole cluster all clusterrole - - -
rbac.authorization.k8s.io/v1 rolebindings RoleBinding namespaced all rolebinding - - -
rbac.authorization.k8s.io/v1 roles Role namespaced all role - - -
storage.k8s.io/v1 csidrivers CSIDriver cluster all csidriver - - -
storage.k8s.io/v1 csinodes CSINode cluster all csinode - - -
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity namespaced all csistoragecapacity - - -
storage.k8s.io/v1 storageclasses StorageClass cluster all storageclass sc - -
storage.k8s.io/v1 volumeattachments VolumeAttachment cluster all volumeattachment - - -
storage.k8s.io/v1 volumeattachments/status VolumeAttachment cluster get,patch,update - - - -
storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass cluster all volumeattributesclass vac - -
storage.k8s.io/v1beta1 volumeattributesclasses VolumeAttributesClass cluster all volumeattributesclass vac - -
admissionregistration.k8s.io/v1 mutatingadmissionpolicies MutatingAdmissionPolicy cluster all mutatingadmissionpolicy - api-extensions -
admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster all mutatingadmissionpolicybinding - api-extensions -
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration cluster all mutatingwebhookconfiguration - api-extensions -
admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy cluster all validatingadmissionpolicy - api-extensions -
admissionregistration.k8s.io/v1 validatingadmissionpolicies/status ValidatingAdmissionPolicy cluster get,patch,update - - - -
admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster all validatingadmissionpolicybinding - api-extensions -
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration cluster all validatingwebhookconfiguration - api-extensions -
admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicies MutatingAdmissionPolicy cluster all mutatingadmissionpolicy - api-extensions -
admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster all mutatingadmissionpolicybinding - api-extensions -
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster all customresourcedefinition crd,crds api-extensions -
apiextensions.k8s.io/v1 customresourcedefinitions/status CustomResourceDefinition cluster get,patch,update - - - -
scheduling.k8s.io/v1 priorityclasses PriorityClass cluster all priorityclass pc - -
coordination.k8s.io/v1 leases Lease namespaced all lease - - -
coordination.k8s.io/v1beta1 leasecandidates LeaseCandidate namespaced all leasecandidate - - -
node.k8s.io/v1 runtimeclasses RuntimeClass cluster all runtimeclass - - -
discovery.k8s.io/v1 endpointslices EndpointSlice namespaced all endpointslice - - -
resource.k8s.io/v1 deviceclasses DeviceClass cluster all deviceclass - - -
resource.k8s.io/v1 resourceclaims ResourceClaim namespaced all resourceclaim - - -
resource.k8s.io/v1 resourceclaims/status ResourceClaim namespaced get,patch,update - - - -
resource.k8s.io/v1 resourceclaimtemplates ResourceClaimTemplate namespaced all resourceclaimtemplate - - -
resource.k8s.io/v1 resourceslices ResourceSlice cluster all resourceslice - - -
flowcontrol.apiserver.k8s.io/v1 flowschemas FlowSchema cluster all flowschema - - -
flowcontrol.apiserver.k8s.io/v1 flowschemas/status FlowSchema cluster get,patch,update - - - -
flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations PriorityLevelConfiguration cluster all prioritylevelconfiguration - - -
flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations/status PriorityLevelConfiguration cluster get,patch,update - - - -
`;

/** The place of each kind in the store, below the prefix. */
export const KNOWN_STORAGE_PATHS = `
core configmaps configmaps
core endpoints services/endpoints
core events events
core limitranges limitranges
core namespaces namespaces
core nodes minions
core persistentvolumeclaims persistentvolumeclaims
core persistentvolumes persistentvolumes
core pods pods
core podtemplates podtemplates
core replicationcontrollers controllers
core resourcequotas resourcequotas
core secrets secrets
core serviceaccounts serviceaccounts
core services services/specs
admissionregistration.k8s.io mutatingadmissionpolicies mutatingadmissionpolicies
admissionregistration.k8s.io mutatingadmissionpolicybindings mutatingadmissionpolicybindings
admissionregistration.k8s.io mutatingwebhookconfigurations mutatingwebhookconfigurations
admissionregistration.k8s.io validatingadmissionpolicies validatingadmissionpolicies
admissionregistration.k8s.io validatingadmissionpolicybindings validatingadmissionpolicybindings
admissionregistration.k8s.io validatingwebhookconfigurations validatingwebhookconfigurations
apiextensions.k8s.io customresourcedefinitions apiextensions.k8s.io/customresourcedefinitions
apiregistration.k8s.io apiservices apiregistration.k8s.io/apiservices
apps controllerrevisions controllerrevisions
apps daemonsets daemonsets
apps deployments deployments
apps replicasets replicasets
apps statefulsets statefulsets
autoscaling horizontalpodautoscalers horizontalpodautoscalers
batch cronjobs cronjobs
batch jobs jobs
certificates.k8s.io certificatesigningrequests certificatesigningrequests
certificates.k8s.io clustertrustbundles clustertrustbundles
certificates.k8s.io podcertificaterequests podcertificaterequests
coordination.k8s.io leasecandidates leasecandidates
coordination.k8s.io leases leases
discovery.k8s.io endpointslices endpointslices
events.k8s.io events events
flowcontrol.apiserver.k8s.io flowschemas flowschemas
flowcontrol.apiserver.k8s.io prioritylevelconfigurations prioritylevelconfigurations
networking.k8s.io ingressclasses ingressclasses
networking.k8s.io ingresses ingress
networking.k8s.io ipaddresses ipaddresses
networking.k8s.io networkpolicies networkpolicies
networking.k8s.io servicecidrs servicecidrs
node.k8s.io runtimeclasses runtimeclasses
policy poddisruptionbudgets poddisruptionbudgets
rbac.authorization.k8s.io clusterrolebindings clusterrolebindings
rbac.authorization.k8s.io clusterroles clusterroles
rbac.authorization.k8s.io rolebindings rolebindings
rbac.authorization.k8s.io roles roles
resource.k8s.io deviceclasses deviceclasses
resource.k8s.io resourceclaims resourceclaims
resource.k8s.io resourceclaimtemplates resourceclaimtemplates
resource.k8s.io resourceslices resourceslices
scheduling.k8s.io priorityclasses priorityclasses
storage.k8s.io csidrivers csidrivers
storage.k8s.io csinodes csinodes
storage.k8s.io csistoragecapacities csistoragecapacities
storage.k8s.io storageclasses storageclasses
storage.k8s.io volumeattachments volumeattachments
storage.k8s.io volumeattributesclasses volumeattributesclasses
`;
